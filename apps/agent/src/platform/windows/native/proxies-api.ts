import { dll, type Handle } from './koffi.ts'
import { pointer, struct, u32 } from './layout.ts'

const { func } = dll('winhttp')

/** WINHTTP_PROXY_INFO */
export const ProxyInfo = struct({ accessType: u32, proxies: pointer, exceptions: pointer })
/** WINHTTP_CURRENT_USER_IE_PROXY_CONFIG */
export const UserProxies = struct({ autoDetect: u32, scriptAddress: pointer, proxies: pointer, exceptions: pointer })
/** WINHTTP_AUTOPROXY_OPTIONS */
export const AutoProxy = struct({
  flags: u32,
  detectFlags: u32,
  scriptAddress: pointer,
  reservedPointer: pointer,
  reserved: u32,
  logOn: u32,
})

export const defaultProxies = func<(info: Buffer) => number>('WinHttpGetDefaultProxyConfiguration', 'int', ['void *'])
export const userProxies = func<(info: Buffer) => number>('WinHttpGetIEProxyConfigForCurrentUser', 'int', ['void *'])
export const openSession = func<(agent: null, access: number, proxy: null, bypass: null, flags: number) => Handle>(
  'WinHttpOpen',
  'intptr_t',
  ['void *', 'uint32_t', 'void *', 'void *', 'uint32_t'],
)
export const proxyForUrl = func<(session: Handle, url: Buffer, options: Buffer, info: Buffer) => number>(
  'WinHttpGetProxyForUrl',
  'int',
  ['intptr_t', 'void *', 'void *', 'void *'],
)
export const closeSession = func<(session: Handle) => number>('WinHttpCloseHandle', 'int', ['intptr_t'])
export const globalFree = dll('kernel32').func<(memory: Handle) => Handle>('GlobalFree', 'intptr_t', ['intptr_t'])
