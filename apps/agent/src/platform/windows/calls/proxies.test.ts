// The proxies that Windows names, with the answers that WinHTTP is documented to give. wine has no accounts with a proxy.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { AutoProxy, ProxyInfo, UserProxies } from '../native/proxies-api.ts'
import { addressOf, addressOfText, failing, record, recorded, wideTextAt } from '../testing/recorded-windows.ts'
import { systemProxies } from './proxies.ts'

vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))

const [direct, named] = [1, 3]
const detectionFailed = 12_180
const address = 'https://muster.example.com/'
let asked: string[]
let freed: number

interface Account {
  autoDetect?: boolean
  script?: string
  list?: string
  exceptions?: string
}

const write = (to: Buffer, at: number, text: string | undefined) =>
  to.writeBigUInt64LE(text === undefined ? 0n : addressOfText(text), at)

function answer(info: Buffer, list: string | undefined): number {
  info.writeUInt32LE(list === undefined ? direct : named, ProxyInfo.offsetOf('accessType'))
  write(info, ProxyInfo.offsetOf('proxies'), list)
  return 1
}

/** @param results what detection and scripts answer: a list, `DIRECT`, or nothing when they fail */
function windows({ autoDetect, script, list, exceptions }: Account, results: Readonly<Record<string, string>> = {}) {
  record({
    WinHttpGetDefaultProxyConfiguration: (info: Buffer) => answer(info, undefined),
    WinHttpGetIEProxyConfigForCurrentUser: (found: Buffer) => {
      found.writeUInt32LE(autoDetect === true ? 1 : 0)
      write(found, UserProxies.offsetOf('scriptAddress'), script)
      write(found, UserProxies.offsetOf('proxies'), list)
      write(found, UserProxies.offsetOf('exceptions'), exceptions)
      return 1
    },
    WinHttpOpen: () => 7n,
    WinHttpCloseHandle: () => 1,
    WinHttpGetProxyForUrl: (_session: bigint, url: Buffer, options: Buffer, info: Buffer) => {
      expect(wideTextAt(addressOf(url))).toBe(address)
      const { flags, detectFlags, scriptAddress } = AutoProxy.read(options)
      const place = flags === 1 ? `detection ${detectFlags}` : wideTextAt(scriptAddress)
      asked.push(place)
      const result = results[place]
      return result === undefined ? failing(detectionFailed)() : answer(info, result === 'DIRECT' ? undefined : result)
    },
    GlobalFree: () => {
      freed++
      return 0
    },
  })
}

beforeEach(() => {
  recorded.clear()
  asked = []
  freed = 0
})

describe('the proxies of a machine', () => {
  test('are those of the machine before those of the account', () => {
    windows({ list: 'account:80' })
    record({ WinHttpGetDefaultProxyConfiguration: (info: Buffer) => answer(info, 'machine:80') })
    expect(systemProxies(address)).toEqual(['http://machine:80'])
  })

  test('are those of the list of the account, without its exceptions', () => {
    windows({ list: 'http=a:80;https=b:443', exceptions: '*.example.org' })
    expect(systemProxies(address)).toEqual(['http://b:443'])
    expect(freed).toBe(2)
    windows({ list: 'b:443', exceptions: '*.example.com' })
    expect(systemProxies(address)).toEqual([])
  })

  test('are those that detection names, before a script and a list', () => {
    windows({ autoDetect: true, script: 'http://x/p.pac', list: 'list:1' }, { 'detection 3': 'found:1;found:2' })
    expect(systemProxies(address)).toEqual(['http://found:1', 'http://found:2'])
    expect(asked).toEqual(['detection 3'])
  })

  test('are those of the script where the network names none, and of the list where the script fails', () => {
    const account = { autoDetect: true, script: 'http://x/p.pac', list: 'list:1' }
    windows(account, { 'http://x/p.pac': 'script:1' })
    expect(systemProxies(address)).toEqual(['http://script:1'])
    windows(account)
    expect(systemProxies(address)).toEqual(['http://list:1'])
    expect(asked).toEqual(['detection 3', 'http://x/p.pac', 'detection 3', 'http://x/p.pac'])
  })

  test('are none where detection or the script says that the connection is direct', () => {
    const account = { autoDetect: true, script: 'http://x/p.pac', list: 'list:1' }
    windows(account, { 'detection 3': 'DIRECT' })
    expect(systemProxies(address)).toEqual([])
    windows(account, { 'http://x/p.pac': 'DIRECT' })
    expect(systemProxies(address)).toEqual([])
  })

  test('are none where the account has no settings', () => {
    windows({})
    expect(systemProxies(address)).toEqual([])
    record({ WinHttpGetIEProxyConfigForCurrentUser: failing(2) })
    expect(systemProxies(address)).toEqual([])
  })
})
