import type { Platform } from './platform.ts'

/** Loads the platform of this machine, and no other. */
export async function loadPlatform(): Promise<Platform> {
  if (process.platform === 'linux') return (await import('./linux/linux.ts')).linux
  if (process.platform === 'win32') return (await import('./windows/windows.ts')).windows
  if (process.platform === 'darwin') return (await import('./darwin/darwin.ts')).darwin
  throw new Error(`This agent does not support ${process.platform}; it runs on Linux, macOS and Windows`)
}
