# shellcheck shell=bash
# A minimal Debian root to try things in. Sourced after common.sh; the root is removed on exit.

# Sets $root to a fresh minimal root, in place of an earlier one. Mirror and proxy are those that apt uses here.
make_root() {
  [ "$(id -u)" = 0 ] || fail "needs root, to make and enter a root folder"
  .ci/install root
  local cache=build/minimal-root/base.tar mirror
  mkdir -p build/minimal-root
  [ -z "${root-}" ] || rm -rf --one-file-system "$root"
  root=$(mktemp -d "$PWD/build/minimal-root/root.XXXXXX")
  trap 'rm -rf --one-file-system "$root"' EXIT
  if [ ! -s "$cache" ]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
      'Created-By: Packages' | awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
    step "making the minimal root"
    debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} \
      >build/minimal-root/debootstrap.log 2>&1 || {
      tail -n 20 build/minimal-root/debootstrap.log >&2
      fail "debootstrap failed; the whole log is build/minimal-root/debootstrap.log"
    }
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" --one-file-system -cf "$cache.new" .
    mv "$cache.new" "$cache"
  else
    tar -C "$root" -xf "$cache"
  fi
  chmod 755 "$root" # it is to be a /, which every user may enter
  local settings
  settings=$(apt-config dump | grep -E '^Acquire::(http|https)::Proxy ' || true)
  [ -z "$settings" ] || printf '%s\n' "$settings" >"$root/etc/apt/apt.conf.d/90proxy"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
}

# in_root COMMAND: by a shell inside $root, with /proc, /dev and a /tmp of its own, gone afterwards.
in_root() {
  unshare --mount --pid --fork bash -c '
    set -e
    mount --make-rprivate /
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs tmpfs "$1/tmp"
    exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
      LC_ALL=C.UTF-8 bash -c "$2"' in_root "$root" "$1" </dev/null
}
