# SPDX-License-Identifier: BSD-3-Clause
"""What can be counted here, and on what machine."""
from . import _interface, low
from .errors import PapiNoEventError
from .event_set import start_library

C = _interface.CONSTANTS


def _steps(first, following):
    """The codes that an enumeration gives."""
    try:
        code = first()
        while True:
            yield code
            code = following(code)
    except PapiNoEventError:
        return


def presets(all=False):
    """Descriptions of the presets that count here, or of all; .count is 0 where one does not, and .note says why."""
    start_library()
    modifier = C['PAPI_ENUM_EVENTS'] if all else C['PAPI_PRESET_ENUM_AVAIL']
    # The presets step from the first on, which may itself be one that does not count here.
    for code in _steps(lambda: low.enum_event(C['PAPI_PRESET_MASK'], C['PAPI_ENUM_FIRST']),
                       lambda code: low.enum_event(code, C['PAPI_ENUM_EVENTS'])):
        info = low.get_event_info(code)
        if modifier == C['PAPI_ENUM_EVENTS'] or info.count > 0:
            yield info


def native_events(component='perf_event'):
    """Descriptions of the native events of a component, without their masks."""
    start_library()
    cidx = component if isinstance(component, int) else low.get_component_index(component)
    for code in _steps(lambda: low.enum_cmp_event(C['PAPI_NATIVE_MASK'], C['PAPI_ENUM_FIRST'], cidx),
                       lambda code: low.enum_cmp_event(code, C['PAPI_ENUM_EVENTS'], cidx)):
        yield low.get_event_info(code)


def components():
    """Descriptions of the components; .disabled_reason says why one cannot count."""
    start_library()
    return [low.get_component_info(cidx) for cidx in range(low.num_components())]


def hardware():
    """A description of the machine."""
    start_library()
    return low.get_hardware_info()
