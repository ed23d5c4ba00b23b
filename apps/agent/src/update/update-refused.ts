import type { UpdateReason } from '@muster/wire/messages/update-status.ts'

/** A version is not installed now; the running one is unchanged. */
export class UpdateRefused extends Error {
  override readonly name = 'UpdateRefused'
  readonly reason: UpdateReason

  constructor(reason: UpdateReason, words: string) {
    super(words)
    this.reason = reason
  }
}

const reasonsOfSystem: Readonly<Record<string, UpdateReason>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  ETXTBSY: 'file_locked',
  EBUSY: 'file_locked',
}

/** Converts an error to a refusal. An unknown error of the system counts as a failed installation. */
export function refusalFrom(error: unknown, otherwise: UpdateReason = 'install_failed'): UpdateRefused {
  if (error instanceof UpdateRefused) return error
  if (!(error instanceof Error)) return new UpdateRefused(otherwise, String(error))
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return new UpdateRefused(reasonsOfSystem[code] ?? otherwise, error.message)
}
