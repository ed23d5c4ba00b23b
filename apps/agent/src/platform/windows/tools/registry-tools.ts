import { ToolFailure } from '../../../tool-failure.ts'
import type { RegistryPlace, RegistryTools } from '../../tools.ts'
import { serviceName } from '../installed-key.ts'
import { native } from '../thread/native-thread.ts'

/** The registry, except for the key of the agent's own service: its program, and a proxy that may have a password. */
export function createRegistryTools(): RegistryTools {
  return {
    keys: async (place) => native('listKeys', [open(place)]),
    values: async (place) => native('listValues', [open(place)]),
    value: async (place, name) => native('getValue', [open(place), name]),
    setValue: async (place, value) => native('setValue', [open(place), value]),
    deleteValue: async (place, name) => native('deleteValue', [open(place), name]),
    createKey: async (place) => native('createKey', [open(place)]),
    deleteKey: async (place) => native('deleteKey', [open(place)]),
  }
}

const own = new RegExp(String.raw`^SYSTEM\\(CURRENT)?CONTROLSET\d*\\SERVICES\\${serviceName.toUpperCase()}(\\|$)`)

function open(place: RegistryPlace): RegistryPlace {
  // Names of keys have no case.
  if (place.hive === 'HKEY_LOCAL_MACHINE' && own.test(place.path.toUpperCase()))
    throw new ToolFailure('DENIED', `Registry key ${place.path} is not accessible through the agent`)
  return place
}
