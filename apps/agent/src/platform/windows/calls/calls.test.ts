// What wine cannot show, with the answers that Windows gives or is documented to give, at the border to its functions.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { EntraJoin } from '../native/entra-api.ts'
import { TokenUser } from '../native/security-api.ts'
import { ServiceStatusProcess } from '../native/services-api.ts'
import { SessionInfo } from '../native/sessions-api.ts'
import { addressOf, addressOfText, failing, record, recorded, wideTextAt } from '../testing/recorded-windows.ts'
import { createServiceTools } from '../tools/service-tools.ts'
import { windows } from '../windows.ts'
import { readEvents } from './event-logs.ts'
import { membership } from './membership.ts'
import { createKey } from './registry.ts'
import { signedInUser } from './sessions.ts'

vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))
vi.mock('../thread/native-thread.ts', () => import('../testing/same-thread.ts'))

const [noToken, staleResults, rpcFailed, cannotAcceptControl] = [1008, 15_011, 1726, 1061]
beforeEach(() => recorded.clear())

describe('the signed-in user', () => {
  const [active, disconnected] = [0, 4]
  /** As WTSEnumerateSessionsW lists sessions: session 0 is that of services and has no user. */
  const sessions = (...list: { id: number; state: number; user: string }[]) => {
    const memory = Buffer.alloc(SessionInfo.size * list.length)
    for (const [index, { id, state }] of list.entries()) {
      memory.writeUInt32LE(id, index * SessionInfo.size)
      memory.writeUInt32LE(state, index * SessionInfo.size + SessionInfo.offsetOf('state'))
    }
    record({
      WTSEnumerateSessionsW: (_server: number, _reserved: number, _version: number, place: Buffer, count: Buffer) => {
        place.writeBigUInt64LE(addressOf(memory))
        count.writeUInt32LE(list.length)
        return 1
      },
      WTSQuerySessionInformationW: (_server: number, session: number, _what: number, place: Buffer) => {
        place.writeBigUInt64LE(addressOfText(list.find(({ id }) => id === session)?.user ?? ''))
        return 1
      },
      WTSFreeMemory: () => 0,
      WTSGetActiveConsoleSessionId: () => 1,
    })
  }

  test('is missing while the machine shows its sign-in screen, and while all users are disconnected', () => {
    sessions({ id: 0, state: disconnected, user: '' }, { id: 1, state: active, user: '' })
    expect(signedInUser).toThrow(expect.objectContaining({ code: 'NO_USER_SESSION' }))
    sessions({ id: 0, state: disconnected, user: '' }, { id: 2, state: disconnected, user: 'ann' })
    expect(signedInUser).toThrow(expect.objectContaining({ code: 'NO_USER_SESSION' }))
  })

  test('is missing after a sign-out between two calls', () => {
    sessions({ id: 1, state: active, user: 'ann' })
    record({ WTSQueryUserToken: failing(noToken) })
    expect(signedInUser).toThrow(expect.objectContaining({ code: 'NO_USER_SESSION' }))
  })

  test('is the one at the screen before one over the network', () => {
    sessions({ id: 3, state: active, user: 'bob' }, { id: 1, state: active, user: 'ann' })
    const asked: number[] = []
    record({
      WTSQueryUserToken: (session: number, place: Buffer) => {
        asked.push(session)
        place.writeBigInt64LE(7n)
        return 1
      },
      ...accountOf('S-1-5-21-1-2-3-1001'),
    })
    expect(signedInUser()).toEqual({ session: 1, sid: 'S-1-5-21-1-2-3-1001' })
    expect(asked).toEqual([1])
  })
})

/** The calls that tell the account of a token. */
function accountOf(sid: string) {
  return {
    GetTokenInformation: (_token: bigint, _what: number, user: Buffer) => {
      user.writeBigUInt64LE(addressOfText(sid), TokenUser.offsetOf('sid'))
      return 1
    },
    ConvertSidToStringSidW: (address: bigint, place: Buffer) => {
      place.writeBigUInt64LE(address)
      return 1
    },
  }
}

describe('an event log that is cleared while it is read', () => {
  const [log, first, second] = [1n, 11n, 12n]
  const xml = (id: bigint) =>
    `<Event><System><Provider Name="Disk"/><EventID>7</EventID><Level>2</Level><EventRecordID>${id}</EventRecordID>` +
    `<TimeCreated SystemTime="2026-11-22T08:15:30.123Z"/></System><EventData><Data>bad block</Data></EventData></Event>`
  /** Two events, then a failure. */
  const endingWith = (code: number) => {
    let turn = 0
    record({
      EvtQuery: () => log,
      EvtNext: (_results: bigint, _count: number, events: Buffer, _ms: number, _flags: number, returned: Buffer) => {
        if (turn++ > 0) return failing(code)()
        events.writeBigInt64LE(first, 0)
        events.writeBigInt64LE(second, 8)
        returned.writeUInt32LE(2)
        return 1
      },
      EvtRender: (
        _context: number,
        event: bigint,
        _flags: number,
        size: number,
        buffer: Buffer | null,
        used: Buffer,
      ) => {
        const text = Buffer.from(`${xml(event)}\0`, 'utf16le')
        used.writeUInt32LE(text.length)
        if (buffer === null || size < text.length) return failing(122)()
        return text.copy(buffer)
      },
      EvtOpenPublisherMetadata: () => 0,
      EvtClose: () => 1,
    })
  }
  const read = () => readEvents({ name: 'System', limit: 10 }, null)

  test('gives the events that were read before, as the last page', () => {
    endingWith(staleResults)
    const { events, hasMore } = read()
    expect(events.map(({ recordId, message }) => [recordId, message])).toEqual([
      [11, 'bad block'],
      [12, 'bad block'],
    ])
    expect(hasMore).toBe(false)
  })

  test('is not confused with a log that cannot be read further', () => {
    endingWith(rpcFailed)
    expect(read).toThrow(expect.objectContaining({ code: 'COMMAND_FAILED', message: expect.stringContaining('1726') }))
  })
})

describe('a service that hangs while it stops', () => {
  const [running, stopping] = [4, 3]
  const service = (states: readonly number[], control: () => number | bigint) => {
    let looks = 0
    record({
      OpenSCManagerW: () => 1n,
      OpenServiceW: () => 2n,
      CloseServiceHandle: () => 1,
      EnumDependentServicesW: () => 1,
      ControlService: control,
      QueryServiceStatusEx: (_service: bigint, _level: number, status: Buffer) => {
        const state = states[Math.min(looks++, states.length - 1)] ?? stopping
        status.writeUInt32LE(state, ServiceStatusProcess.offsetOf('state'))
        return 1
      },
    })
  }
  const stop = () => createServiceTools(50).control('Hanging', 'stop')
  const stillStopping = { code: 'TIMED_OUT', message: 'Service Hanging is still stopping' }

  test('is named with its state after the time limit', async () => {
    service([running, stopping], () => 1)
    await expect(stop()).rejects.toMatchObject(stillStopping)
  })

  test('is waited for when it refuses a second stop', async () => {
    service([stopping], failing(cannotAcceptControl))
    await expect(stop()).rejects.toMatchObject(stillStopping)
  })
})

test('a key directly below a hive that takes none is refused as such', () => {
  record({ RegCreateKeyExW: () => 87 })
  const create = () => createKey({ hive: 'HKEY_LOCAL_MACHINE', path: 'Contoso', view: '64' })
  expect(create).toThrow(
    expect.objectContaining({ code: 'INVALID_PAYLOAD', message: expect.stringContaining('path: ') }),
  )
})

describe('an agent without administrator rights', () => {
  const agent = (sid: string, isAdministrator: boolean) =>
    record({
      GetCurrentProcess: () => -1n,
      OpenProcessToken: () => 1,
      ...accountOf(sid),
      ConvertStringSidToSidW: (text: Buffer, place: Buffer) => {
        place.writeBigUInt64LE(addressOf(text))
        return 1
      },
      CheckTokenMembership: (_token: null, group: bigint, answer: Buffer) => {
        expect(wideTextAt(group)).toBe('S-1-5-32-544')
        answer.writeUInt32LE(isAdministrator ? 1 : 0)
        return 1
      },
    })
  const changes = ['reboot', 'shutdown', 'start_service', 'stop_service', 'restart_service', 'run_task'] as const

  test('says that it may not restart the machine and change services and tasks', async () => {
    agent('S-1-5-21-1-2-3-1001', false)
    const obstacles = await windows.obstacles()
    for (const name of [...changes, 'enable_task', 'disable_task', 'run_as_user'] as const)
      expect(obstacles[name], name).toBe('NOT_PERMITTED')
    for (const name of ['list_services', 'list_tasks', 'set_registry_value', 'kill_process'] as const)
      expect(obstacles[name], name).toBeUndefined()
  })

  test('is told apart from an administrator, and from SYSTEM', async () => {
    agent('S-1-5-21-1-2-3-1001', true)
    const administrator = await windows.obstacles()
    for (const name of changes) expect(administrator[name], name).toBeUndefined()
    expect(administrator.run_as_user).toBe('NOT_PERMITTED')
    agent('S-1-5-18', true)
    expect((await windows.obstacles()).run_as_user).toBeUndefined()
  })
})

describe('the directories of a machine', () => {
  const freed: bigint[] = []
  beforeEach(() => void freed.splice(0))
  const machine = (
    status: number,
    name: string,
    entra?: Partial<Record<'deviceId' | 'tenantId' | 'tenantName', string>>,
  ) =>
    record({
      NetGetJoinInformation: (_server: null, place: Buffer, kind: Buffer) => {
        place.writeBigUInt64LE(addressOfText(name))
        return kind.writeUInt32LE(status) * 0
      },
      NetApiBufferFree: (address: bigint) => freed.push(address),
      NetGetAadJoinInformation: (_tenant: null, place: Buffer) => {
        const join = Buffer.alloc(EntraJoin.size)
        join.writeUInt32LE(1)
        for (const [member, text] of Object.entries(entra ?? {}))
          if (member === 'deviceId' || member === 'tenantId' || member === 'tenantName')
            join.writeBigUInt64LE(addressOfText(text), EntraJoin.offsetOf(member))
        place.writeBigUInt64LE(entra === undefined ? 0n : addressOf(join))
        return 0
      },
      NetFreeAadJoinInformation: (address: bigint) => freed.push(address),
    })

  test('are its workgroup, or its domain', () => {
    machine(2, 'WORKGROUP')
    expect(membership()).toEqual({ workgroup: 'WORKGROUP' })
    machine(3, 'CORP')
    expect(membership()).toEqual({ domain: 'CORP' })
    machine(1, '')
    expect(membership()).toEqual({})
    expect(freed).toHaveLength(3)
  })

  test('are its domain and its tenant of Entra ID', () => {
    const tenant = { tenantId: '0b7c-1', tenantName: 'Contoso', deviceId: 'd-1' }
    machine(3, 'CORP', tenant)
    expect(membership()).toEqual({ domain: 'CORP', entra: { kind: 'joined', ...tenant } })
    expect(freed).toHaveLength(2)
  })

  test('are known without Entra ID where Windows does not answer for it', () => {
    machine(2, 'WORKGROUP')
    record({ NetGetAadJoinInformation: () => -2_147_467_259 })
    expect(membership()).toEqual({ workgroup: 'WORKGROUP' })
  })

  test('are unknown when the service for them does not run', () => {
    record({ NetGetJoinInformation: () => 2_138 })
    expect(membership).toThrow('NetGetJoinInformation')
  })
})
