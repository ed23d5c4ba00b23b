// What wine has no services for, with the answers that Windows is documented to give, at the border to its functions.
import { beforeEach, expect, test, vi } from 'vitest'
import { EnumServiceStatus, ServiceStatusProcess } from '../native/services-api.ts'
import { addressOf, failing, record, recorded, textOf } from '../testing/recorded-windows.ts'
import { createServiceTools } from '../tools/service-tools.ts'
import { createTools } from '../tools/windows-tools.ts'

vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))
vi.mock('../thread/native-thread.ts', () => import('../testing/same-thread.ts'))

const [stopped, running] = [1, 4]
let done: string[]
let states: Map<string, number>

/** Running services; those that need `Database`, in the order in which EnumDependentServicesW lists them. */
function services(dependents: readonly string[]) {
  const names = ['', 'Database', ...dependents]
  states = new Map(names.map((name) => [name, running]))
  const nameOf = (service: bigint) => names[Number(service)] ?? ''
  const change = (word: string, service: bigint, state: number) => {
    done.push(`${word} ${nameOf(service)}`)
    states.set(nameOf(service), state)
    return 1
  }
  record({
    OpenSCManagerW: () => 99n,
    OpenServiceW: (_manager: bigint, name: Buffer) => BigInt(names.indexOf(textOf(name))),
    CloseServiceHandle: () => 1,
    ControlService: (service: bigint) => change('stop', service, stopped),
    StartServiceW: (service: bigint) => change('start', service, running),
    QueryServiceStatusEx: (service: bigint, _level: number, status: Buffer) => {
      status.writeUInt32LE(states.get(nameOf(service)) ?? stopped, ServiceStatusProcess.offsetOf('state'))
      return 1
    },
    EnumDependentServicesW: (
      service: bigint,
      _state: number,
      list: Buffer,
      _size: number,
      _needed: Buffer,
      count: Buffer,
    ) => {
      const found = nameOf(service) === 'Database' ? dependents.filter((name) => states.get(name) === running) : []
      // The answer holds its texts itself, behind its entries.
      let end = found.length * EnumServiceStatus.size
      for (const [index, name] of found.entries()) {
        list.writeBigUInt64LE(addressOf(list) + BigInt(end), index * EnumServiceStatus.size)
        end += list.write(`${name}\0`, end, 'utf16le')
      }
      count.writeUInt32LE(found.length)
      return 1
    },
  })
}

beforeEach(() => {
  recorded.clear()
  done = []
})

test('restarting a service stops the services that need it before it, and starts them after it in their order', async () => {
  services(['Web', 'Pool'])
  expect(await createServiceTools(1_000).control('Database', 'restart')).toEqual({ name: 'Database', state: 'running' })
  expect(done).toEqual(['stop Web', 'stop Pool', 'stop Database', 'start Database', 'start Pool', 'start Web'])
})

test('restarting a service leaves those stopped that were stopped before', async () => {
  services(['Web', 'Pool'])
  states.set('Web', stopped)
  await createServiceTools(1_000).control('Database', 'restart')
  expect(done).toEqual(['stop Pool', 'stop Database', 'start Database', 'start Pool'])
})

test.each([2, 3, 1168])('a service whose program is missing (error %i) is not reported as missing', async (code) => {
  services([])
  record({ StartServiceW: failing(code) })
  const message = expect.stringMatching(new RegExp(`^Service Database: StartServiceW: .*${code}`))
  await expect(createServiceTools(1_000).control('Database', 'start')).rejects.toMatchObject({
    code: 'COMMAND_FAILED',
    message,
  })
})

test.each(['stop', 'restart'] as const)(
  'refuses to %s the service of the agent itself, in any spelling',
  async (action) => {
    services([])
    const { control } = createTools([]).services
    await expect(control('musteragent', action)).rejects.toMatchObject({ code: 'DENIED' })
    expect(done).toEqual([])
  },
)
