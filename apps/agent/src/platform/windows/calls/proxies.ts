import { type Handle, koffi, wideTextAt } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'
import {
  AutoProxy,
  closeSession,
  defaultProxies,
  globalFree,
  openSession,
  ProxyInfo,
  proxyForUrl,
  UserProxies,
  userProxies,
} from '../native/proxies-api.ts'
import { isBypassed, proxiesIn } from '../proxy-list.ts'

const access = { none: 1, named: 3 } as const
const find = { detect: 1, script: 2 } as const
const detectByDhcpAndDns = 3

interface Setting {
  proxies: string
  exceptions: string
}
const direct: Setting = { proxies: '', exceptions: '' }

/**
 * The proxies for an address, best first; none for a direct connection. The setting of the machine (`netsh winhttp`) comes
 * before those of the account that this process runs as: detection, a script, or a list. May ask the network.
 */
export function systemProxies(address: string): string[] {
  const { protocol, hostname } = new URL(address)
  const setting = machineSetting() ?? accountSetting(address)
  if (setting === undefined || isBypassed(setting.exceptions, hostname)) return []
  return proxiesIn(setting.proxies, protocol.replace(':', ''))
}

function machineSetting(): Setting | undefined {
  const info = Buffer.alloc(ProxyInfo.size)
  return defaultProxies(info) === 0 ? undefined : settingOf(info)
}

function accountSetting(address: string): Setting | undefined {
  const found = Buffer.alloc(UserProxies.size)
  if (userProxies(found) === 0) return undefined
  const { autoDetect, scriptAddress, proxies, exceptions } = UserProxies.read(found)
  const script = taken(scriptAddress)
  const list = { proxies: taken(proxies), exceptions: taken(exceptions) }
  const detected = autoDetect === 0 ? undefined : computed(address, undefined)
  return detected ?? (script === '' ? undefined : computed(address, script)) ?? (list.proxies === '' ? undefined : list)
}

/** What a script says about an address: one at a known place, or one that the network names. Undefined when there is none. */
function computed(address: string, script: string | undefined): Setting | undefined {
  const session = openSession(null, access.none, null, null, 0)
  if (Number(session) === 0) return undefined
  try {
    const [options, info, place] = [Buffer.alloc(AutoProxy.size), Buffer.alloc(ProxyInfo.size), wide(script ?? '')]
    options.writeUInt32LE(script === undefined ? find.detect : find.script, AutoProxy.offsetOf('flags'))
    if (script === undefined) options.writeUInt32LE(detectByDhcpAndDns, AutoProxy.offsetOf('detectFlags'))
    else options.writeBigUInt64LE(BigInt(koffi.address(place)), AutoProxy.offsetOf('scriptAddress'))
    // Signs in at the place of the script when it asks for that.
    options.writeUInt32LE(1, AutoProxy.offsetOf('logOn'))
    return proxyForUrl(session, wide(address), options, info) === 0 ? undefined : (settingOf(info) ?? direct)
  } finally {
    closeSession(session)
  }
}

function settingOf(info: Buffer): Setting | undefined {
  const { accessType, proxies, exceptions } = ProxyInfo.read(info)
  const setting = { proxies: taken(proxies), exceptions: taken(exceptions) }
  return accessType === access.named && setting.proxies !== '' ? setting : undefined
}

/** A text that the caller has to free. */
function taken(address: Handle): string {
  if (Number(address) === 0) return ''
  const text = wideTextAt(address)
  globalFree(address)
  return text
}
