import { describe, expect, it } from 'vitest'
import { faultOfHost, faultOfServer, faultOfUrl } from '../../alerts/index.ts'
import { judge, type ProbeState, probeAfter } from './status.rules.ts'

const fresh: ProbeState = { verdict: 'unknown', failing: 0, reason: null }
const round = (state: 'ok' | 'degraded' | 'failed' | 'unknown', rounds = 1) =>
  ({
    at: 0,
    state,
    rounds,
    failed: state === 'failed' ? rounds : 0,
    ...(state === 'ok' ? {} : { text: state }),
  }) as const
const after = (states: readonly Parameters<typeof round>[0][], retries = 2) =>
  states.reduce((probe, state) => probeAfter(probe, round(state), { retries }), fresh)

describe('a probe', () => {
  it('is offline after retries + 1 failing rounds in a row, and online after one good round', () => {
    expect(after(['ok', 'failed', 'failed'])).toMatchObject({ verdict: 'online', failing: 2 })
    expect(after(['ok', 'failed', 'failed', 'failed'])).toMatchObject({ verdict: 'offline', reason: 'failed' })
    expect(after(['failed', 'failed', 'ok', 'failed', 'failed'])).toMatchObject({ verdict: 'online' })
    expect(after(['failed', 'failed', 'failed', 'ok'])).toEqual({ verdict: 'online', failing: 0, reason: null })
    expect(after(['failed'], 0)).toMatchObject({ verdict: 'offline' })
  })

  it('counts the rounds of a summary', () => {
    expect(probeAfter(fresh, round('failed', 3), { retries: 2 })).toMatchObject({ verdict: 'offline' })
    const mixed = { ...round('failed', 5), failed: 3 }
    expect(probeAfter(fresh, mixed, { retries: 2 })).toMatchObject({ verdict: 'unknown', failing: 1 })
  })

  it('is degraded when the certificate expires soon', () => {
    const soon = { ...round('ok'), certificateExpiresAt: 5 * 86_400_000 }
    expect(probeAfter(fresh, soon, { retries: 0, certificateDays: 14 })).toMatchObject({
      verdict: 'degraded',
      reason: 'the certificate expires in 5 days',
    })
    expect(probeAfter(fresh, soon, { retries: 0 })).toMatchObject({ verdict: 'online' })
  })
})

describe('a monitor', () => {
  const probe = (verdict: ProbeState['verdict']): ProbeState => ({ verdict, failing: 0, reason: verdict })
  const statusOf = (...verdicts: ProbeState['verdict'][]) => judge(verdicts.map(probe))?.status

  it('has the status of more than half of its probes', () => {
    expect(statusOf('offline')).toBe('offline')
    expect(statusOf('offline', 'online')).toBe('online')
    expect(statusOf('offline', 'offline', 'online')).toBe('offline')
    expect(statusOf('degraded', 'offline', 'online')).toBe('degraded')
    expect(statusOf('online', 'online', 'offline')).toBe('online')
  })

  it('keeps its status while too few probes have reported', () => {
    expect(statusOf('offline', 'unknown', 'unknown')).toBeUndefined()
    expect(statusOf('unknown')).toBeUndefined()
  })
})

describe('the target of a monitor', () => {
  it('is never link-local, and the machine itself only if it is pinned', () => {
    for (const host of ['169.254.169.254', 'fe80::1', '0.0.0.0', '::', '224.0.0.1', '::ffff:169.254.169.254'])
      expect(faultOfHost(host, true), host).not.toBeNull()
    for (const host of [
      '127.0.0.1',
      '127.8.8.8',
      '::1',
      'localhost',
      'a.localhost',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ]) {
      expect(faultOfHost(host, false), host).not.toBeNull()
      expect(faultOfHost(host, true), host).toBeNull()
    }
    for (const host of ['10.0.0.1', 'example.com', 'printer_1', 'fd00::1'])
      expect(faultOfHost(host, false), host).toBeNull()
    for (const host of ['127.1', '0x7f000001', 'a b', '-x', '']) expect(faultOfHost(host, true), host).not.toBeNull()
  })

  it('is no port of a printer', () => {
    for (const url of ['http://a:515/', 'http://a:9100/', 'https://a:9116/', 'http://a:9999/'])
      expect(faultOfUrl(url, true), url).toContain('printers')
    expect(faultOfUrl('http://a:9117/', false)).toBeNull()
    expect(faultOfServer('10.0.0.1:9100', false)).toContain('printers')
    expect(faultOfServer('[fd00::1]:53', false)).toBeNull()
    expect(faultOfServer('example.com', false)).not.toBeNull()
  })

  it('is a URL without a password for http', () => {
    expect(faultOfUrl('https://user:secret@a/', false)).toContain('password')
    expect(faultOfUrl('ftp://a/', false)).toContain('http')
    expect(faultOfUrl('http://127.0.0.1/', false)).not.toBeNull()
    expect(faultOfUrl('http://2130706433/', false)).not.toBeNull()
  })
})
