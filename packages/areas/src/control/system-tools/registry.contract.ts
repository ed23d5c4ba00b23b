import { create, del, get, put, success } from '@muster/kit/contract.ts'
import {
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
    summary: `Keys below a key of the registry. ${onWindows}`,
    access,
    ...own,
    input: RegistryKeyPlace.extend(device),
    output: RegistryKeys,
  }),
  values: get(`${base}/registry/values`, {
    summary: `Values of a key of the registry. ${onWindows}`,
    access,
    ...own,
    input: RegistryKeyPlace.extend(device),
    output: RegistryValues,
  }),
  getValue: get(`${base}/registry/value`, {
    summary: `One value of the registry. ${onWindows}`,
    access,
    ...own,
    input: RegistryValuePlace.extend(device),
    output: RegistryValue,
  }),
  setValue: put(`${base}/registry/value`, {
    summary: `Set a value of the registry. ${onWindows}`,
    access,
    audit: 'device.registry.write',
    ...changing,
    input: SetRegistryValue.extend(device),
    output: success,
  }),
  deleteValue: del(`${base}/registry/value`, {
    summary: `Delete a value of the registry. ${onWindows}`,
    access,
    audit: 'device.registry.delete',
    ...changing,
    input: RegistryValuePlace.extend(device),
    output: success,
  }),
  createKey: create(`${base}/registry/key`, {
    summary: `Make a key of the registry. ${onWindows}`,
    access,
    audit: 'device.registry.write',
    ...changing,
    input: RegistryKeyName.extend(device),
    output: success,
  }),
  deleteKey: del(`${base}/registry/key`, {
    summary: `Delete a key of the registry with all below it. ${onWindows}`,
    access,
    audit: 'device.registry.delete',
    ...changing,
    input: RegistryKeyName.extend(device),
    output: success,
  }),
}
