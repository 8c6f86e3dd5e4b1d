# SPDX-License-Identifier: BSD-3-Clause
"""The interface of the package cypapi, for scripts that import it.

PAPI_start is cyPAPI_start; CypapiCreateEventset() is an event set whose functions are its methods.
"""
import inspect as _inspect

from papi import low as _low
from papi._by_hand import PAPI_option_t  # noqa: F401
from papi._interface import CONSTANTS as _CONSTANTS
from papi.errors import PapiError, PapiNoEventError  # noqa: F401

_FUNCTIONS = {name: function for name, function in vars(_low).items()
              if not name.startswith('_') and _inspect.isfunction(function)}

globals().update(_CONSTANTS)
globals().update({'cyPAPI_' + name: function for name, function in _FUNCTIONS.items()})


class CypapiCreateEventset:
    """An event set; add_event, add_named_event, start, read, stop and the like are its methods."""

    def __init__(self):
        self.event_set = _low.create_eventset()

    def get_id(self):
        """The handle of the event set."""
        return self.event_set

    def destroy_eventset(self):
        """Frees an empty event set."""
        self.event_set = _low.destroy_eventset(self.event_set)


def _method(name, function):
    def method(self, *arguments, **named):
        return function(self.event_set, *arguments, **named)
    method.__name__, method.__doc__ = name, function.__doc__
    return method


for _name, _function in _FUNCTIONS.items():
    if next(iter(_inspect.signature(_function).parameters), None) == 'es' and not hasattr(CypapiCreateEventset, _name):
        setattr(CypapiCreateEventset, _name, _method(_name, _function))


class _Enumeration:
    """Steps through codes: next_event gives one after the other, and PapiNoEventError after the last."""

    def __init__(self, code):
        self._code = code
        self._begun = False

    def next_event(self, modifier=None):
        """The next code."""
        if modifier is None:
            modifier = _CONSTANTS['PAPI_ENUM_EVENTS'] if self._begun else _CONSTANTS['PAPI_ENUM_FIRST']
        self._code = self._step(self._code, modifier)
        self._begun = True
        return self._code

    def __iter__(self):
        try:
            while True:
                yield self.next_event()
        except PapiNoEventError:
            return


class CypapiEnumPresetEvents(_Enumeration):
    """The presets."""

    def __init__(self):
        super().__init__(_CONSTANTS['PAPI_PRESET_MASK'])

    _step = staticmethod(_low.enum_event)


class CypapiEnumCmpEvent(_Enumeration):
    """The native events of a component."""

    def __init__(self, cidx):
        super().__init__(_CONSTANTS['PAPI_NATIVE_MASK'])
        self._cidx = cidx

    def _step(self, code, modifier):
        return _low.enum_cmp_event(code, modifier, self._cidx)


class CypapiGetComponentInfo:
    """The description of a component: its members are attributes."""

    def __init__(self, cidx):
        self.__dict__.update(vars(_low.get_component_info(cidx)))


__all__ = [name for name in globals() if not name.startswith('_')]
