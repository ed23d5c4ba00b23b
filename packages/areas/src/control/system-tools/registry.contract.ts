import { create, del, get, put, success } from '@muster/kit/contract.ts'
import {
  DeletableRegistryKey,
  RegistryKeyName,
  RegistryKeyPlace,
  RegistryKeys,
  RegistryValue,
  RegistryValuePlace,
  RegistryValues,
  SetRegistryValue,
} from '@muster/wire/commands/registry.ts'
import { access, base, changing, device, own } from './device.contract.ts'

const onWindows = 'Windows only; other devices answer UNSUPPORTED_PLATFORM'

export const registry = {
  keys: get(`${base}/registry/keys`, {
    summary: `List the keys below a registry key. ${onWindows}`,
    access,
    ...own,
    input: RegistryKeyPlace.extend(device),
    output: RegistryKeys,
  }),
  values: get(`${base}/registry/values`, {
    summary: `List the values of a registry key. ${onWindows}`,
    access,
    audit: 'device.registry.read',
    ...changing,
    input: RegistryKeyPlace.extend(device),
    output: RegistryValues,
  }),
  getValue: get(`${base}/registry/value`, {
    summary: `Get a registry value. ${onWindows}`,
    access,
    audit: 'device.registry.read',
    ...changing,
    input: RegistryValuePlace.extend(device),
    output: RegistryValue,
  }),
  setValue: put(`${base}/registry/value`, {
    summary: `Set a registry value. ${onWindows}`,
    access,
    audit: 'device.registry.write',
    ...changing,
    input: SetRegistryValue.safeExtend(device),
    output: success,
  }),
  deleteValue: del(`${base}/registry/value`, {
    summary: `Delete a registry value. ${onWindows}`,
    access,
    audit: 'device.registry.delete',
    ...changing,
    input: RegistryValuePlace.extend(device),
    output: success,
  }),
  createKey: create(`${base}/registry/key`, {
    summary: `Create a registry key. ${onWindows}`,
    access,
    audit: 'device.registry.write',
    ...changing,
    input: RegistryKeyName.extend(device),
    output: success,
  }),
  deleteKey: del(`${base}/registry/key`, {
    summary: `Delete a registry key with all keys below it, except first-level keys of a hive and those that Windows depends on. ${onWindows}`,
    access,
    audit: 'device.registry.delete',
    ...changing,
    input: DeletableRegistryKey.safeExtend(device),
    output: success,
  }),
}
