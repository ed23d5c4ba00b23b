import { basename, dirname, normalize } from 'node:path'
import { ToolFailure } from '../../tool-failure.ts'

/** @throws ToolFailure */
export function requireAbsolute(path: string): void {
  if (!path.startsWith('/')) throw new ToolFailure('INVALID_PAYLOAD', `path ${path} must start with / on this system`)
}

/** The parent and the name of a path. @throws ToolFailure when it can only be a folder */
export function split(path: string): { parent: string; name: string } {
  requireAbsolute(path)
  const whole = normalize(path).replace(/(.)\/+$/, '$1')
  const name = basename(whole)
  if (name === '' || name === '.' || name === '..') throw new ToolFailure('DENIED', `${path} is a folder`)
  return { parent: dirname(whole), name }
}
