import {
  DeletableRegistryKey,
  RegistryDone,
  RegistryKeyName,
  RegistryKeyPlace,
  RegistryKeys,
  type RegistryValue,
  RegistryValuePlace,
  RegistryValue as RegistryValueSchema,
  RegistryValues,
  SetRegistryValue,
} from '@muster/wire/commands/registry.ts'
import type { z } from 'zod'
import type { Machine } from '../machine.ts'
import { Refusal, type Tools, tool } from './tool.ts'

type Value = z.infer<typeof RegistryValue>
type KeyLocation = z.infer<typeof RegistryKeyPlace>

/** Names are found in any spelling and shown in the one that they were made with. */
class Key {
  readonly name: string
  readonly keys: Map<string, Key> = new Map()
  readonly values: Map<string, Value> = new Map()

  constructor(name: string) {
    this.name = name
  }

  /** This key and all keys below it. */
  get size(): number {
    return [...this.keys.values()].reduce((sum, key) => sum + key.size, 1)
  }

  below(path: string): Key {
    let key: Key = this
    for (const name of path.split('\\').filter(Boolean)) {
      const next: Key = key.keys.get(name.toLowerCase()) ?? new Key(name)
      key.keys.set(name.toLowerCase(), next)
      key = next
    }
    return key
  }

  set(values: Readonly<Record<string, string | number | readonly string[]>>): void {
    for (const [name, data] of Object.entries(values)) {
      const type = typeof data === 'number' ? 'REG_DWORD' : typeof data === 'string' ? 'REG_SZ' : 'REG_MULTI_SZ'
      this.values.set(name.toLowerCase(), { name, type, data: typeof data === 'object' ? [...data] : data })
    }
  }
}

const startValues: Readonly<Record<string, number>> = { automatic: 2, manual: 3, disabled: 4 }
const done = { done: true } as const
const currentVersion = 'SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'
const uninstall = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
/** Where 32-bit programs find what they call SOFTWARE, except its keys that both kinds of programs share. */
const software32 = 'SOFTWARE\\WOW6432Node'
const own32 = /^software(?!\\(policies|clients|wow6432node)(\\|$))(?=\\|$)/i
/** As agents refuse it. */
const deletedKeysMax = 1_000
/** Windows allows no new keys directly below them. */
const closedHives: readonly string[] = ['HKEY_LOCAL_MACHINE', 'HKEY_USERS']

/** What the registry of such a machine says of it. */
function machineHive({ inventory: { facts, software, services, hardware } }: Machine): Key {
  const hive = new Key('HKEY_LOCAL_MACHINE')
  const [, , build = '', revision = '0'] = facts.kernelVersion?.split('.') ?? []
  const windowsIs = {
    ProductName: facts.osName?.replace('Microsoft ', '') ?? 'Windows',
    DisplayVersion: facts.osVersion ?? '',
    CurrentBuild: build,
    CurrentMajorVersionNumber: 10,
    UBR: Number(revision),
  }
  for (const path of [currentVersion, in32BitView(currentVersion)]) hive.below(path).set(windowsIs)
  hive.below(in32BitView(uninstall))
  for (const [index, { name, version, publisher }] of software.entries()) {
    const list = index % 3 === 2 ? in32BitView(uninstall) : uninstall
    hive.below(`${list}\\${name}`).set({
      DisplayName: name,
      DisplayVersion: version ?? '',
      Publisher: publisher ?? '',
    })
  }
  for (const { name, displayName, startup } of services)
    hive.below(`SYSTEM\\CurrentControlSet\\Services\\${name}`).set({
      DisplayName: displayName ?? name,
      ImagePath: `%SystemRoot%\\System32\\svchost.exe -k netsvcs -p -s ${name}`,
      Start: startValues[startup ?? 'manual'] ?? 3,
      DependOnService: ['RpcSs'],
    })
  hive.below('SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ComputerName').set({ ComputerName: facts.hostname })
  hive.below('HARDWARE\\DESCRIPTION\\System\\BIOS').set({
    SystemManufacturer: hardware.manufacturer ?? '',
    SystemProductName: hardware.model ?? '',
  })
  return hive
}

const in32BitView = (path: string) => path.replace(own32, () => software32)

function userHive(): Key {
  const hive = new Key('HKEY_CURRENT_USER')
  hive.below('Control Panel\\Desktop').set({ ScreenSaveActive: '1', ScreenSaveTimeOut: '600' })
  hive.below('Environment').set({ TEMP: '%USERPROFILE%\\AppData\\Local\\Temp' })
  return hive
}

/** The path of a key as 64-bit programs see it. */
const pathIn = ({ hive, path = '', view }: KeyLocation) =>
  view === '32' && hive === 'HKEY_LOCAL_MACHINE' ? in32BitView(path) : path

/** The registry of a simulated machine. Changes last until the demo ends. */
export class Registry {
  readonly #hives: Map<string, Key>

  constructor(machine: Machine) {
    const local = machineHive(machine)
    const user = userHive()
    const users = new Key('HKEY_USERS')
    users.keys.set('.default', new Key('.DEFAULT'))
    users.keys.set('s-1-5-18', new Key('S-1-5-18'))
    const hives = [local, user, users, new Key('HKEY_CLASSES_ROOT'), new Key('HKEY_CURRENT_CONFIG')]
    this.#hives = new Map(hives.map((hive) => [hive.name, hive]))
  }

  get tools(): Tools {
    return {
      list_registry_keys: tool(RegistryKeyPlace, RegistryKeys, (place) => ({
        keys: [...this.#find(place).keys.values()].map(({ name }) => name).sort(),
        truncated: false,
      })),
      list_registry_values: tool(RegistryKeyPlace, RegistryValues, (place) => ({
        values: [...this.#find(place).values.values()],
        truncated: false,
      })),
      get_registry_value: tool(RegistryValuePlace, RegistryValueSchema, (place) => this.#value(place)),
      set_registry_value: tool(SetRegistryValue, RegistryDone, ({ name, type, data, ...place }) => {
        this.#find(place).values.set(name.toLowerCase(), { name, type, data })
        return done
      }),
      delete_registry_value: tool(RegistryValuePlace, RegistryDone, (place) => {
        this.#find(place).values.delete(this.#value(place).name.toLowerCase())
        return done
      }),
      create_registry_key: tool(RegistryKeyName, RegistryDone, ({ hive, path, view }) => {
        const root = this.#find({ hive })
        const [first = ''] = path.split('\\')
        if (closedHives.includes(hive) && !root.keys.has(first.toLowerCase()))
          throw new Refusal('INVALID_PAYLOAD', `path: Windows allows no new keys directly below ${hive}`)
        root.below(pathIn({ hive, path, view }))
        return done
      }),
      delete_registry_key: tool(DeletableRegistryKey, RegistryDone, ({ path, ...place }) => {
        const { name, size } = this.#find({ ...place, path })
        if (size > deletedKeysMax)
          throw new Refusal(
            'TOO_LARGE',
            `Registry key ${place.hive}\\${path} has more than ${deletedKeysMax} keys; delete them in parts`,
          )
        const parent = path.split('\\').slice(0, -1).join('\\')
        this.#find({ ...place, path: parent }).keys.delete(name.toLowerCase())
        return done
      }),
    }
  }

  #find(place: KeyLocation): Key {
    const { hive, path = '' } = place
    let key = this.#hives.get(hive)
    for (const name of pathIn(place).split('\\').filter(Boolean)) key = key?.keys.get(name.toLowerCase())
    if (key === undefined) throw new Refusal('NOT_FOUND', `there is no key ${hive}\\${path}`)
    return key
  }

  #value({ name, ...place }: z.infer<typeof RegistryValuePlace>): Value {
    const value = this.#find(place).values.get(name.toLowerCase())
    if (value === undefined) throw new Refusal('NOT_FOUND', `there is no value ${name}`)
    return value
  }
}
