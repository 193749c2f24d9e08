# Lists the cases of one Boost.Test executable and writes them as ctest tests, one a case, named
# executable.suite.case. Run after each link:
#   cmake -DNAME=.. -DEXECUTABLE=.. -DOUTPUT=.. -DTIMEOUT=.. -P discover_cases.cmake
# Fails, and with it the build, when the executable cannot be listed or holds no case.
execute_process(COMMAND ${EXECUTABLE} --list_content=HRF
  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 600)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${EXECUTABLE} --list_content: ${status}\n${out}${err}")
endif()

# Four blanks a level; '*' marks what runs by default; ': text' is a description. Boost writes the
# list to standard error. A unit is a case when the line after it is no deeper; the samples (_0, _1,
# ..) of a data-driven case stay one test.
string(REPLACE ";" "," listing "${out}${err}")
string(REPLACE "[" "(" listing "${listing}")
string(REPLACE "]" ")" listing "${listing}")
string(REPLACE "\n" ";" listing "${listing}")
set(paths "")
set(states "")
set(stack "")
foreach(line IN LISTS listing)
  if(NOT line MATCHES "^( *)([^*:]*[^*: ]( *:: *[^*:]+)*)([* ])(:.*)?$")
    continue()
  endif()
  string(LENGTH "${CMAKE_MATCH_1}" indent)
  math(EXPR depth "${indent} / 4")
  set(unit "${CMAKE_MATCH_2}")
  set(state "${CMAKE_MATCH_4}")
  if(unit MATCHES "^_[0-9]+$")
    continue()
  endif()
  list(SUBLIST stack 0 ${depth} stack)
  list(APPEND stack "${unit}")
  list(JOIN stack "/" path)
  # What the previous line named turns out to be a suite.
  if(paths)
    list(GET paths -1 previous)
    string(FIND "${path}" "${previous}/" at)
    if(at EQUAL 0)
      list(POP_BACK paths)
      list(POP_BACK states)
    endif()
  endif()
  list(APPEND paths "${path}")
  list(APPEND states "${state}")
endforeach()
if(NOT paths)
  message(FATAL_ERROR "${EXECUTABLE} lists no test case:\n${out}${err}")
endif()

set(script "")
foreach(path state IN ZIP_LISTS paths states)
  string(REPLACE "/" "." case "${NAME}.${path}")
  # A comma would separate filters.
  string(REPLACE "," "*" filter "${path}")
  string(APPEND script
    "add_test([==[${case}]==] [==[${EXECUTABLE}]==] [==[--run_test=${filter}]==]"
    " --color_output=no)\n"
    "set_tests_properties([==[${case}]==] PROPERTIES LABELS [==[${NAME}]==]"
    " RESOURCE_LOCK [==[${NAME}]==] TIMEOUT ${TIMEOUT}")
  if(state STREQUAL " ")
    string(APPEND script " DISABLED TRUE")
  endif()
  string(APPEND script ")\n")
endforeach()
file(WRITE ${OUTPUT} "${script}")
