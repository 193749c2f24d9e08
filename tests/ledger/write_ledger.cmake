# Writes a ledger of the smaller golden cases, source and lowered, to LEDGER, through RLXC and the
# plugin.
file(REMOVE ${LEDGER})
file(GLOB graphs ${GOLDEN}/*/mir.json ${GOLDEN}/*/cpu.lir.json)
list(FILTER graphs EXCLUDE REGEX "/(llama|bert)")
list(LENGTH graphs wanted)
if(wanted LESS 20)
  message(FATAL_ERROR "only ${wanted} graphs in ${GOLDEN}")
endif()
set(ENV{RLX_PLUGINS} libopscope.so)
set(ENV{OPSCOPE_LEDGER} ${LEDGER})
set(ENV{OPSCOPE_REPORT} off)
set(ENV{OPSCOPE_TAGS} "run=schema,k=v")
execute_process(COMMAND ${RLXC} --pipeline none ${graphs} COMMAND_ERROR_IS_FATAL ANY)
