// A library with what libopscope.so must not have, to show that the check sees it.
#include <boost/test/unit_test_log.hpp>

extern "C" const void* control_symbol() { return &boost::unit_test::unit_test_log_t::instance(); }
