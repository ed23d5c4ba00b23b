// A key that the agent may not open, from the answer of Windows to the reply of the agent. wine has no closed keys.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { failed } from '../../../commands/command.ts'
import { toolCommands } from '../../../commands/tools.ts'
import { record, recorded, textOf } from '../testing/recorded-windows.ts'
import { createTools } from '../tools/windows-tools.ts'

vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))
vi.mock('../thread/native-thread.ts', () => import('../testing/same-thread.ts'))

const accessDenied = 5
const place = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE\\Vendor' }
const value = { ...place, name: 'C' }
beforeEach(() => recorded.clear())

/** The error of the agent's reply. */
async function errorOf(type: string, payload: object): Promise<string | undefined> {
  const prepared = new Map(toolCommands(createTools([]))).get(type)?.prepare(payload)
  if (prepared?.ok !== true) throw new Error(`${type} was not prepared`)
  const { error } = await prepared
    .run({ id: '1', timeoutMs: 5_000, signal: AbortSignal.timeout(5_000), show: () => false })
    .catch(failed)
  return error
}

test.each([
  ['list_registry_keys', place],
  ['list_registry_values', place],
  ['get_registry_value', value],
  ['set_registry_value', { ...value, type: 'REG_SZ', data: 'x' }],
  ['delete_registry_value', value],
  ['create_registry_key', place],
  ['delete_registry_key', place],
])('%s of a closed key is not permitted', async (type, payload) => {
  record({ RegOpenKeyExW: () => accessDenied, RegCreateKeyExW: () => accessDenied })
  const words = 'the agent has no permission for Registry key HKEY_LOCAL_MACHINE\\SOFTWARE\\Vendor'
  expect(await errorOf(type, payload)).toBe(`NOT_PERMITTED: ${words}`)
})

test('delete_registry_key of a key that may be read but not deleted is not permitted', async () => {
  record({
    RegOpenKeyExW: () => 0,
    RegQueryValueExW: () => 2,
    RegEnumKeyExW: () => 259,
    RegCloseKey: () => 0,
    RegDeleteKeyExW: () => accessDenied,
  })
  expect(await errorOf('delete_registry_key', place)).toMatch(/^NOT_PERMITTED: /)
})

describe('delete_registry_key of a key with keys below it', () => {
  const [success, notFound, noMoreItems] = [0, 2, 259]
  const [linkType, openLink] = [6, 8]

  /** A key with two keys below it. @param answers the answer to the deletion of each; it is deleted unless one is given */
  function vendorKeys(answers: Readonly<Record<string, () => number>>, link = '') {
    const below = new Map([[place.path, ['A', 'B']]])
    const opened = new Map<bigint, string>()
    record({
      RegOpenKeyExW: (_root: number, path: Buffer, options: number, _rights: number, key: Buffer) => {
        if (textOf(path) === link) expect(options).toBe(openLink)
        const handle = BigInt(opened.size + 1)
        opened.set(handle, textOf(path))
        key.writeBigInt64LE(handle)
        return success
      },
      RegCloseKey: () => success,
      RegQueryValueExW: (key: bigint, _name: Buffer, _reserved: null, type: Buffer, _data: null, size: Buffer) => {
        if (opened.get(key) !== link) return notFound
        type.writeUInt32LE(linkType)
        return size.writeUInt32LE(0) * 0
      },
      RegEnumKeyExW: (key: bigint, index: number, name: Buffer, chars: Buffer) => {
        const found = below.get(opened.get(key) ?? '')?.[index]
        if (found === undefined) return noMoreItems
        chars.writeUInt32LE(name.write(found, 'utf16le') / 2)
        return success
      },
      RegDeleteKeyExW: (_root: number, path: Buffer) => {
        const name = textOf(path).split('\\').at(-1) ?? ''
        const code = answers[name]?.() ?? success
        const left = below.get(place.path)?.filter((one) => one !== name) ?? []
        if (code === success) below.set(place.path, left)
        return code
      },
    })
    return {
      add: (name: string) => below.set(place.path, [...(below.get(place.path) ?? []), name]),
      nameOf: (key: bigint) => opened.get(key),
    }
  }

  test('says how many were deleted when one cannot be', async () => {
    vendorKeys({ A: () => accessDenied })
    expect(await errorOf('delete_registry_key', place)).toBe(
      'NOT_PERMITTED: the agent has no permission for Registry key HKEY_LOCAL_MACHINE\\SOFTWARE\\Vendor\\A; ' +
        '1 of the 3 keys of Registry key HKEY_LOCAL_MACHINE\\SOFTWARE\\Vendor are deleted',
    )
  })

  test('says that keys were added meanwhile, not that a permission is missing', async () => {
    const { add } = vendorKeys({
      Vendor: () => {
        add('C')
        return accessDenied
      },
    })
    expect(await errorOf('delete_registry_key', place)).toMatch(
      /^CHANGED: .*\\Vendor got new keys while it was deleted; 2 of the 3 keys/,
    )
  })

  test('ignores keys that were deleted meanwhile', async () => {
    vendorKeys({ B: () => notFound })
    expect(await errorOf('delete_registry_key', place)).toBeUndefined()
  })

  test('deletes a link below it, and nothing of what the link leads to', async () => {
    const link = `${place.path}\\B`
    const byName: string[] = []
    const { nameOf } = vendorKeys({ A: () => byName.push('A') * 0, B: () => byName.push('B') * 0 }, link)
    const byHandle: (string | undefined)[] = []
    record({
      NtDeleteKey: (key: bigint) => {
        byHandle.push(nameOf(key))
        return success
      },
      RtlNtStatusToDosError: (status: number) => status,
    })
    expect(await errorOf('delete_registry_key', place)).toBeUndefined()
    expect([byHandle, byName]).toEqual([[link], ['A']])
  })
})

test.each([
  ['CurrentControlSet', 'services\\MUSTERAGENT'],
  ['ControlSet001', 'Services\\MusterAgent\\Parameters'],
])('the key of the service of the agent is closed in %s', async (set, rest) => {
  const own = { hive: 'HKEY_LOCAL_MACHINE', path: `System\\${set}\\${rest}` }
  for (const [type, payload] of [
    ['list_registry_keys', own],
    ['list_registry_values', own],
    ['get_registry_value', { ...own, name: 'Environment' }],
    ['set_registry_value', { ...own, name: 'ImagePath', type: 'REG_SZ', data: 'x' }],
    ['delete_registry_value', { ...own, name: 'Environment' }],
    ['create_registry_key', own],
    ['delete_registry_key', own],
  ] as const)
    expect(await errorOf(type, payload)).toBe(`DENIED: Registry key ${own.path} is not accessible through the agent`)
})
