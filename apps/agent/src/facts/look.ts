import { type Fact, FactFinding, factBytes, type ServiceValue } from '@muster/wire/facts/facts.ts'
import { factBytesMax } from '@muster/wire/limits.ts'
import type { FileSeen } from '../platform/files/observe-file.ts'
import type { RegistryTools, ServiceTools, Tools } from '../platform/tools.ts'
import { failureOf, ToolFailure } from '../tool-failure.ts'

export interface Look {
  readonly finding: FactFinding
  /** For the next look at the same file. */
  readonly seen?: FileSeen
}

/** Looks at one fact. Never rejects: what cannot be found out is a finding too. */
export type LookAt = (fact: Fact, before: FileSeen | undefined) => Promise<Look>

export function lookWith(tools: Tools): LookAt {
  const serviceOf = services(tools.services)
  async function find(fact: Fact, before: FileSeen | undefined): Promise<Look> {
    switch (fact.type) {
      case 'file': {
        const seen = await tools.files.observe(fact, before)
        return { finding: seen.value, seen }
      }
      case 'service':
        return { finding: await serviceOf(fact.name) }
      case 'registry':
        return { finding: await registryValue(tools.registry, fact) }
      case 'firewall':
        return { finding: await tools.protections.firewall() }
      case 'encryption':
        return { finding: await tools.protections.encryption() }
    }
  }
  return async (fact, before) => {
    try {
      const look = await find(fact, before)
      // A frame that the server does not accept would end the connection.
      if (FactFinding.safeParse(look.finding).success && factBytes(look.finding) <= factBytesMax) return look
      return {
        ...look,
        finding: unknown(new ToolFailure('TOO_LARGE', `the value is longer than ${factBytesMax} bytes`)),
      }
    } catch (error) {
      return { finding: unknown(failureOf(error, 'path' in fact ? fact.path : fact.type)) }
    }
  }
}

export const unknown = ({ code, message }: ToolFailure): FactFinding => ({
  type: 'unknown',
  why: `${code}: ${message}`.slice(0, 500),
})

async function registryValue(
  registry: RegistryTools | undefined,
  { hive, path, name, view = '64' }: Extract<Fact, { type: 'registry' }>,
): Promise<FactFinding> {
  if (registry === undefined) throw new ToolFailure('UNSUPPORTED_PLATFORM', 'this system has no registry')
  try {
    const { type, data } = await registry.value({ hive, path, view }, name)
    return { type: 'registry', present: true, valueType: type, data }
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return { type: 'registry', present: false }
    throw error
  }
}

/** Facts that are due together share a list of all services. */
const listKeptMs = 5_000
/** Words of the systems for services that run, or that did what they are for and stay active. */
const running = new Set(['running', 'active', 'exited', 'reloading', 'continuing'])
const startups: Readonly<Record<string, ServiceValue['startup']>> = {
  ...{ boot: 'automatic', system: 'automatic', automatic: 'automatic', 'automatic-delayed': 'automatic' },
  ...{ enabled: 'automatic', 'enabled-runtime': 'automatic', alias: 'automatic' },
  ...{ manual: 'manual', static: 'manual', indirect: 'manual', generated: 'manual', transient: 'manual' },
  ...{ disabled: 'disabled', masked: 'disabled', 'masked-runtime': 'disabled' },
}

function services(tools: ServiceTools): (name: string) => Promise<ServiceValue> {
  let last: { at: number; list: ReturnType<ServiceTools['list']> } | undefined
  return async (name) => {
    const now = performance.now()
    if (last === undefined || now - last.at > listKeptMs) last = { at: now, list: tools.list() }
    const wanted = name.replace(/\.service$/, '').toLowerCase()
    const { services } = await last.list
    // A service that does not run may be missing from the list.
    const listed = services.find((service) => service.name.toLowerCase() === wanted) ?? (await detailOf(tools, name))
    if (listed === undefined) return { type: 'service', state: 'absent' }
    const startup = startups[listed.startup ?? '']
    return {
      type: 'service',
      state: running.has(listed.state) ? 'running' : 'stopped',
      ...(startup !== undefined && { startup }),
      detail: [listed.state, listed.startup].filter(Boolean).join(', ').slice(0, 255),
    }
  }
}

async function detailOf(tools: ServiceTools, name: string) {
  try {
    return await tools.detail(name)
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
