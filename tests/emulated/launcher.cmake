# SPDX-License-Identifier: BSD-3-Clause
# papi_emulate with a fake emulator: one test for each class of launcher_test.py
fpapi_program(fake_emulator fake_emulator.c INCLUDE ${PROJECT_SOURCE_DIR}/src-c)
fpapi_script(emulated.launcher.{} emulated launcher_test.py $<TARGET_FILE:papi_emulate> $<TARGET_FILE:fake_emulator> {}
  CASES Program Signals Terminal Finding Options Report Fault)
