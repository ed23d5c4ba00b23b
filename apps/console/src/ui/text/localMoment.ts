// Moments in the browser's own field for date and time, which writes them without a zone, in that of the user.

export const localMoment = (iso: string): string => {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** @returns null while the field is empty or incomplete */
export const momentOf = (local: string): string | null => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
