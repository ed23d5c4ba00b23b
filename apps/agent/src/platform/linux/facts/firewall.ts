// Whether the kernel refuses connections from outside that no rule allows: that is what ufw, firewalld and others come down to.
import type { FirewallValue } from '@muster/wire/facts/facts.ts'
import { z } from 'zod'
import { ToolFailure } from '../../../tool-failure.ts'
import { type Host, runProgram } from '../systemd.ts'

type Family = 'IPv4' | 'IPv6'

const Chain = z.object({
  family: z.string(),
  table: z.string(),
  name: z.string(),
  hook: z.string().optional(),
  policy: z.string().optional(),
})
const Rule = z.object({
  family: z.string(),
  table: z.string(),
  chain: z.string(),
  expr: z.array(z.record(z.string(), z.unknown())).default([]),
})
const Ruleset = z.object({
  nftables: z.array(z.object({ chain: Chain.optional(), rule: Rule.optional() })),
})
type Ruleset = z.infer<typeof Ruleset>

/** What a rule may have beside its verdict and still match everything. */
const harmless = new Set(['counter', 'log', 'comment'])
const familiesOf: Readonly<Record<string, readonly Family[]>> = { ip: ['IPv4'], ip6: ['IPv6'], inet: ['IPv4', 'IPv6'] }

/** The families for which a chain of incoming packets refuses what no rule accepts. */
export function closedFamilies({ nftables }: Ruleset): Set<Family> {
  const rules = nftables.flatMap(({ rule }) => rule ?? [])
  const closed = nftables.flatMap(({ chain }) => {
    if (chain === undefined || chain.hook !== 'input') return []
    const own = rules.filter(
      (rule) => rule.family === chain.family && rule.table === chain.table && rule.chain === chain.name,
    )
    const isClosed = chain.policy === 'drop' || own.some(({ expr }) => refusesAll(expr))
    return isClosed ? (familiesOf[chain.family] ?? []) : []
  })
  return new Set(closed)
}

function refusesAll(expressions: readonly Readonly<Record<string, unknown>>[]): boolean {
  const words = expressions.map((expression) => {
    const [word = '', value] = Object.entries(expression)[0] ?? []
    return word === 'xt' && JSON.stringify(value).includes('"REJECT"') ? 'reject' : word
  })
  const verdicts = words.filter((word) => !harmless.has(word))
  return verdicts.length === 1 && (verdicts[0] === 'drop' || verdicts[0] === 'reject')
}

/** The program that made the rules, as far as they show it. */
function productIn(text: string): string {
  if (text.includes('"ufw-') || text.includes('"ufw6-') || / ufw6?-/.test(text)) return 'ufw'
  return /"table": ?"firewalld"/.test(text) ? 'firewalld' : 'nftables'
}

/** Whether `iptables -S INPUT` refuses what no rule accepts. */
export const closesInput = (text: string): boolean =>
  text.split('\n').some((line) => /^-P INPUT DROP$|^-A INPUT -j (DROP|REJECT)\b/.test(line.trim()))

export async function firewallOf(host: Host, hasIpv6: boolean): Promise<FirewallValue> {
  const nft = await optional(host, 'nft', ['--json', 'list', 'ruleset'])
  if (nft !== undefined) {
    const closed = closedFamilies(Ruleset.parse(JSON.parse(nft)))
    if (closed.size > 0) return judged(closed, hasIpv6, productIn(nft))
  }
  const [ip4, ip6] = [
    await optional(host, 'iptables', ['-S', 'INPUT']),
    await optional(host, 'ip6tables', ['-S', 'INPUT']),
  ]
  const closed = new Set<Family>([
    ...(closesInput(ip4 ?? '') ? (['IPv4'] as const) : []),
    ...(closesInput(ip6 ?? '') ? (['IPv6'] as const) : []),
  ])
  const hasProgram = nft !== undefined || ip4 !== undefined
  if (closed.size > 0) return judged(closed, hasIpv6, 'iptables')
  const detail = hasProgram ? 'no rule refuses connections' : 'no firewall is installed'
  return { type: 'firewall', on: false, detail }
}

function judged(closed: ReadonlySet<Family>, hasIpv6: boolean, product: string): FirewallValue {
  const open = (['IPv4', 'IPv6'] as const).filter((family) => !closed.has(family) && (family === 'IPv4' || hasIpv6))
  const detail = open.length === 0 ? {} : { detail: `${open.join(' and ')} is open` }
  return { type: 'firewall', on: open.length === 0, product, ...detail }
}

/** What a program prints; undefined when it is not installed. */
async function optional(host: Host, program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { exitCode, stdout, stderr } = await runProgram(host, program, args)
    if (exitCode === 0) return stdout
    const isDenied = /not permitted|permission denied|must be root/i.test(stderr)
    throw new ToolFailure(isDenied ? 'NOT_PERMITTED' : 'COMMAND_FAILED', `${program}: ${stderr.trim().slice(0, 300)}`)
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
