// A monitor while it is edited. Numbers are text, because fields may be empty; secrets are empty unless they were entered.
import type { Monitor } from '@muster/areas/watch/monitors/monitors.contract.ts'
import type { MonitorType } from '@muster/areas/watch/monitors/words.contract.ts'
import { headersFrom } from '../headers.ts'

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export const recordTypes = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'] as const

type Config = Monitor['config']
const textIn = (config: Config, name: string): string => {
  const value = config[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
const listIn = (config: Config, name: string): string[] => {
  const value = config[name]
  return Array.isArray(value) ? value.map(String) : []
}
const numberText = (value: number | null | undefined, otherwise = ''): string =>
  value === null || value === undefined ? otherwise : String(value)

const initialType: MonitorType = 'http'

export const draftOf = (monitor: Monitor | undefined, place: { orgId: string; siteId: string | null }) => {
  const config = monitor?.config ?? {}
  return {
    orgId: monitor?.orgId ?? place.orgId,
    siteId: monitor ? monitor.siteId : place.siteId,
    deviceId: monitor?.deviceId ?? null,
    name: monitor?.name ?? '',
    type: monitor?.type ?? initialType,
    target: monitor?.target ?? '',
    intervalSeconds: numberText(monitor?.intervalSeconds, '60'),
    timeoutSeconds: numberText(monitor?.timeoutSeconds, '5'),
    retries: numberText(monitor?.retries, '2'),
    degradedMs: numberText(monitor?.degradedMs),
    probes: numberText(monitor?.probes, '1'),
    count: textIn(config, 'count') || '3',
    port: textIn(config, 'port'),
    /** Of tcp: text that the answer contains. */
    expect: textIn(config, 'expect'),
    method: textIn(config, 'method') || 'GET',
    expectStatus: listIn(config, 'expectStatus').join(', '),
    expectBody: textIn(config, 'expectBody'),
    verifyTls: config.verifyTls !== false,
    certificateDays: textIn(config, 'certificateDays'),
    recordType: textIn(config, 'recordType') || 'A',
    server: textIn(config, 'server'),
    /** Of dns: one answer per line. */
    answers: listIn(config, 'expect').join('\n'),
    headers: '',
    dropsHeaders: false,
    body: '',
    dropsBody: false,
  }
}
export type MonitorDraft = ReturnType<typeof draftOf>

/** Names of the stored headers, and whether a body is stored. Their values never come back. */
export const storedSecrets = (monitor: Monitor | undefined) => ({
  headerNames: listIn(monitor?.config ?? {}, 'headerNames'),
  hasBody: monitor?.config.hasBody === true,
})

const pieces = (text: string, by: RegExp): string[] =>
  text
    .split(by)
    .map((each) => each.trim())
    .filter((each) => each !== '')
const filled = (name: string, text: string) => (text.trim() === '' ? {} : { [name]: text.trim() })

function httpConfig(draft: MonitorDraft): Config {
  const { method, headers, dropsHeaders, body, dropsBody, expectStatus, verifyTls, certificateDays } = draft
  const accepted = pieces(expectStatus, /[\s,]+/).map(Number)
  return {
    method,
    verifyTls,
    certificateDays: certificateDays.trim() === '' ? null : Number(certificateDays),
    ...filled('expectBody', draft.expectBody),
    ...(accepted.length > 0 && { expectStatus: accepted }),
    // What is left out stays as it is stored.
    ...(dropsHeaders ? { headers: {} } : headers.trim() !== '' && { headers: headersFrom(headers) }),
    ...(dropsBody ? { body: null } : body !== '' && { body }),
  }
}

/** The config that the type needs. */
export function configOf(draft: MonitorDraft): Config {
  switch (draft.type) {
    case 'ping':
      return { count: Number(draft.count) }
    case 'tcp':
      return { port: Number(draft.port), ...filled('expect', draft.expect) }
    case 'http':
      return httpConfig(draft)
    case 'dns': {
      const answers = pieces(draft.answers, /\n/)
      return {
        recordType: draft.recordType,
        ...filled('server', draft.server),
        ...(answers.length > 0 && { expect: answers }),
      }
    }
  }
}

/** What a change of the monitor says. */
export const changesOf = (draft: MonitorDraft) => ({
  name: draft.name.trim(),
  siteId: draft.siteId,
  deviceId: draft.deviceId,
  target: draft.target.trim(),
  config: configOf(draft),
  intervalSeconds: Number(draft.intervalSeconds),
  timeoutSeconds: Number(draft.timeoutSeconds),
  retries: Number(draft.retries),
  degradedMs: draft.degradedMs.trim() === '' ? null : Number(draft.degradedMs),
  probes: Number(draft.probes),
})

/** Why the monitor cannot be saved; undefined when it can. The server judges the rest. */
export function faultOf({ orgId, name, type, target, port }: MonitorDraft): string | undefined {
  if (name.trim() === '') return 'Enter a name'
  if (orgId === '') return 'Select an organization'
  if (target.trim() === '') return type === 'http' ? 'Enter a URL' : type === 'dns' ? 'Enter a name' : 'Enter a host'
  return type === 'tcp' && port.trim() === '' ? 'Enter a port' : undefined
}
