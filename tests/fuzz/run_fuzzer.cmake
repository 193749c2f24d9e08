# Runs one fuzzer for SECONDS and prints how many executions it made. Fails where it finds anything;
# the input that did it is left as CORPUS/../NAME-crash-*.
string(REPLACE "|" ";" SEEDS "${SEEDS}")
string(REPLACE "|" ";" SEED_FOLDERS "${SEED_FOLDERS}")
file(MAKE_DIRECTORY ${CORPUS})
set(count 0)
foreach(folder IN LISTS SEED_FOLDERS)
  foreach(pattern IN LISTS SEEDS)
    file(GLOB files ${folder}/${pattern})
    foreach(seed IN LISTS files)
      file(SIZE ${seed} size)
      if(size GREATER MAX_LENGTH)
        continue()
      endif()
      file(SHA1 ${seed} hash)
      configure_file(${seed} ${CORPUS}/seed-${hash} COPYONLY)
      math(EXPR count "${count} + 1")
    endforeach()
  endforeach()
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "${NAME}: no seed found for ${SEEDS}")
endif()
cmake_path(GET CORPUS PARENT_PATH findings)
execute_process(
  COMMAND ${FUZZER} ${CORPUS} -max_total_time=${SECONDS} -max_len=${MAX_LENGTH} -timeout=10
          -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0
          -artifact_prefix=${findings}/${NAME}-
  RESULT_VARIABLE result ERROR_VARIABLE log OUTPUT_VARIABLE log)
string(REGEX MATCH "number_of_executed_units: ([0-9]+)" unused "${log}")
if(NOT result EQUAL 0 OR NOT CMAKE_MATCH_1)
  message(FATAL_ERROR "${NAME}: found something\n${log}")
endif()
message("${NAME}: ${CMAKE_MATCH_1} executions in ${SECONDS} s from ${count} seeds, no finding")
