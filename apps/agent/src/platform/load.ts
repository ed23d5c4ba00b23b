import type { Platform } from './platform.ts'

/** The platform of this machine; others are never loaded. */
export async function loadPlatform(): Promise<Platform> {
  if (process.platform === 'linux') return (await import('./linux/linux.ts')).linux
  throw new Error(`This agent does not run on ${process.platform} yet: Linux only`)
}
