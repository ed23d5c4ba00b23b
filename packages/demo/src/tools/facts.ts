import { createHash } from 'node:crypto'
import type { AssignedFact, Fact, FactFinding } from '@muster/wire/facts/facts.ts'
import { observationsMax } from '@muster/wire/limits.ts'
import type { FactAssignment } from '@muster/wire/messages/assignment.ts'
import type { FactObservations } from '@muster/wire/messages/observations.ts'
import { Chance } from '../chance.ts'
import type { Machine } from '../machine.ts'

/** In how many of a hundred cases a simulated machine is as its owner wants it. */
const asWanted = 93

/** What a simulated machine finds out about a fact: the same on every run. */
function findingOf({ index, platform, inventory }: Machine, { id, fact }: AssignedFact): FactFinding {
  const chance = new Chance(`fact ${index} ${id}`)
  const isWanted = chance.percent(asWanted)
  const { osType } = platform
  switch (fact.type) {
    case 'file':
      return fileFinding(fact, osType, isWanted)
    case 'service': {
      const service = inventory.services.find(({ name }) => name.toLowerCase() === fact.name.toLowerCase())
      if (service === undefined) return { type: 'service', state: 'absent' }
      const isRunning = service.state === 'running' || service.state === 'active'
      return { type: 'service', state: isRunning ? 'running' : 'stopped', startup: isWanted ? 'automatic' : 'manual' }
    }
    case 'registry':
      if (osType !== 'windows') return { type: 'unknown', why: 'UNSUPPORTED_PLATFORM: this system has no registry' }
      return { type: 'registry', present: true, valueType: 'REG_DWORD', data: isWanted ? 1 : 0 }
    case 'firewall':
      return { type: 'firewall', on: isWanted }
    case 'encryption':
      return { type: 'encryption', state: isWanted ? 'on' : 'off' }
  }
}

function fileFinding(
  { path, contains, setting, sha256 }: Extract<Fact, { type: 'file' }>,
  osType: Machine['platform']['osType'],
  isWanted: boolean,
): FactFinding {
  if ((osType === 'windows') === path.startsWith('/')) return { type: 'file', kind: 'absent' }
  const access = osType === 'windows' ? {} : { mode: isWanted ? '0644' : '0666', owner: 'root', group: 'root' }
  return {
    ...{ type: 'file', kind: 'file', bytes: 1_024, ...access },
    ...(contains !== undefined && { contains: isWanted }),
    ...(setting !== undefined && { settings: [isWanted ? 'no' : 'yes'] }),
    ...(sha256 === true && {
      sha256: createHash('sha256')
        .update(isWanted ? path : `${path} changed`)
        .digest('hex'),
    }),
  }
}

/** The facts that are assigned to a simulated machine. Nothing changes them. */
export class Facts {
  readonly #machine: Machine
  #revision = 0

  constructor(machine: Machine) {
    this.#machine = machine
  }

  get revision(): number {
    return this.#revision
  }

  /** Follows an assignment. @returns all findings, or its confirmation alone */
  take({ revision, items }: FactAssignment, nowMs: number): FactObservations[] {
    const found = items.map((item) => ({ id: item.id, at: nowMs, found: findingOf(this.#machine, item) }))
    this.#revision = revision
    const count = Math.max(1, Math.ceil(found.length / observationsMax))
    return Array.from({ length: count }, (_, part) => ({
      kind: 'facts',
      revision,
      items: found.slice(part * observationsMax, (part + 1) * observationsMax),
    }))
  }
}
