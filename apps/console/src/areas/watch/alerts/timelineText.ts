const kinds = new Map<unknown, string>([
  ['resolved', 'about the end'],
  ['digest', 'as a digest'],
])

/** Tells entries of one moment apart. */
export const entryKey = ({ at, kind }: { readonly at: string; readonly kind: string }, index: number): string =>
  `${at} ${kind} ${index}`

/** What a message of the timeline says: to whom, at which step, and whether it was sent. */
export function messageText(
  { to, kind, step, status }: Readonly<Record<string, unknown>>,
  channels: ReadonlyMap<string, string>,
): string {
  const [, id] = /^channel (.+)$/.exec(String(to)) ?? []
  const parts = [
    id === undefined ? `to ${String(to)}` : `to ${channels.get(id) ?? 'a channel'}`,
    ...(kinds.has(kind) ? [kinds.get(kind)] : []),
    ...(typeof step === 'number' ? [`(step ${step + 1})`] : []),
    ...(status === 'held' ? ['held back for a digest'] : []),
  ]
  return parts.join(' ')
}
