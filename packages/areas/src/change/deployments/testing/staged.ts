// A deployment over a small fleet, whose turns a test takes and whose commands a test ends.
import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { type Person, type World, world } from '@muster/testkit/world.ts'
import { commandReports } from '../../../control/commands/results/commands.records.ts'
import type { StrategyInput } from '../batches/strategy.contract.ts'
import { course } from '../course/course.contract.ts'
import { deployments } from '../deployments.contract.ts'
import { type DeploymentDevice, devices } from '../devices/devices.contract.ts'
import { takeTurn } from '../engine/turn.ts'

/** Without pauses between batches. */
export const swift: StrategyInput = { soakSeconds: 0, offline: 'wait' }
export const look = { kind: 'command' as const, type: 'refresh_inventory' as const }

export interface Fleet {
  readonly here: World
  readonly deviceIds: readonly string[]
}

/** Devices of an organization, online. */
export async function fleetOf(size: number, here?: World): Promise<Fleet> {
  const own = here ?? (await world())
  const names = Array.from({ length: size }, (_, index) => `staged-${index}`)
  const deviceIds = await enrolled(own.orgAdmin, { orgId: own.org.id }, ...names)
  for (const id of deviceIds) await setState(id, { status: 'online' })
  return { here: own, deviceIds }
}

type Input = Parameters<typeof deployments.create.input.parse>[0]

/** A deployment over the fleet with its batches. */
export async function initialized(
  { here, deviceIds }: Fleet,
  strategy: StrategyInput,
  more: Partial<Input & object> = {},
) {
  const { id } = await call(here.orgAdmin, deployments.create, {
    ...{ orgId: here.org.id, name: 'Staged', order: look, targets: { deviceIds: [...deviceIds] } },
    strategy: { ...swift, ...strategy },
    ...more,
  })
  return call(here.orgAdmin, deployments.initialize, { id })
}

export class Staged {
  readonly #reader: Pick<Person, 'token'>
  readonly id: string
  readonly #parts: Awaited<ReturnType<typeof testWorkerParts>>

  /** @param reader sees the deployment */
  constructor(
    { here }: Fleet,
    id: string,
    parts: Awaited<ReturnType<typeof testWorkerParts>>,
    reader: Pick<Person, 'token'> = here.orgAdmin,
  ) {
    this.#reader = reader
    this.id = id
    this.#parts = parts
  }

  /** Started, before its first turn. */
  static async start(fleet: Fleet, strategy: StrategyInput, more: Partial<Input & object> = {}): Promise<Staged> {
    const { id } = await initialized(fleet, strategy, more)
    await call(fleet.here.orgAdmin, course.start, { id })
    return new Staged(fleet, id, await testWorkerParts())
  }

  turn = (): ReturnType<typeof takeTurn> => takeTurn(this.#parts, this.id)

  get = () => call(this.#reader, deployments.get, { id: this.id })

  async devices(): Promise<DeploymentDevice[]> {
    return (await call(this.#reader, devices.list, { id: this.id, limit: 100 })).data
  }

  /** Takes turns, and ends what was sent with the given exit codes, until nothing more is sent. @returns devices in the order of their commands */
  async run(exitCode: (device: DeploymentDevice) => number = () => 0): Promise<string[]> {
    const sent: string[] = []
    for (;;) {
      await this.turn()
      const queued = (await this.devices()).filter(({ status }) => status === 'queued')
      if (queued.length === 0) {
        await this.turn()
        if (!(await this.devices()).some(({ status }) => status === 'queued')) return sent
        continue
      }
      sent.push(...queued.map(({ deviceId }) => deviceId))
      for (const device of queued) await this.end(device, exitCode(device))
    }
  }

  /** Stores the end of a device's command as the worker does. */
  async end({ commandId, deviceId }: Pick<DeploymentDevice, 'commandId' | 'deviceId'>, exitCode = 0): Promise<void> {
    const status = exitCode === 0 ? ('completed' as const) : ('failed' as const)
    const body = { commandId: commandId ?? '', status, exitCode, stdout: '', durationMs: 5 }
    const record = { name: 'result' as const, deviceId, atMs: Date.now(), body }
    await inTransaction(this.#parts.pool, (client) => commandReports.store(client, [record], this.#parts))
  }
}
