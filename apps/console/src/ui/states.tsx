import { CloudOff, Lock, type LucideIcon, TriangleAlert, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { codeOf, isApiError, statusOf } from '../api.ts'
import { Button } from './Button.tsx'

interface NoteProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** What stands where content would be: why there is none and what to do. */
export function Note({ icon: Icon, title, children, action }: NoteProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-14 text-center">
      <span className="flex size-11 items-center justify-center rounded-full bg-sunken">
        <Icon aria-hidden className="size-5 text-muted" />
      </span>
      <div className="grid gap-1">
        <h2 className="font-semibold text-lg">{title}</h2>
        {children && <div className="text-muted">{children}</div>}
      </div>
      {action}
    </div>
  )
}

/** Why something could not be had, in words for the person, with a way on. */
export function Failure({ error, again }: { readonly error: unknown; again?(): void }) {
  const status = statusOf(error)
  if (status === 403)
    return (
      <Note icon={Lock} title="You are not allowed to see this">
        {messageOf(error)}. Ask an administrator of your organisation for the permission, or switch to a place where you
        have it.
      </Note>
    )
  if (status === 404)
    return (
      <Note icon={TriangleAlert} title="Not found">
        It was deleted, or it belongs to a place that you cannot reach.
      </Note>
    )
  const retry = again && (
    <Button kind="primary" onClick={again}>
      Try again
    </Button>
  )
  const machine = machines[codeOf(error) ?? '']
  if (machine)
    return (
      <Note icon={Unplug} title={machine.title} action={retry}>
        {messageOf(error)}. {machine.advice}
      </Note>
    )
  if (status === undefined && isApiError(error))
    return (
      <Note icon={CloudOff} title="The server cannot be reached" action={retry}>
        Check your connection. What you typed is kept.
      </Note>
    )
  return (
    <Note icon={TriangleAlert} title="That did not work" action={retry}>
      {messageOf(error)}
    </Note>
  )
}

/** Where the server did its part and the machine that was asked did not. */
const machines: Readonly<Record<string, { readonly title: string; readonly advice: string }>> = {
  DEVICE_OFFLINE: {
    title: 'The device is not connected',
    advice: 'Scripts and commands that wait for it can be sent meanwhile.',
  },
  DEVICE_TIMEOUT: { title: 'The device did not answer in time', advice: 'It may be very busy. Ask again in a moment.' },
  DEVICE_BUSY: { title: 'The device is busy', advice: 'It does as much as it can at once. Ask again in a moment.' },
  DEVICE_REFUSED: { title: 'The device cannot do that', advice: 'That is its own answer.' },
  AGENT_TOO_OLD: {
    title: 'Its agent is too old for this',
    advice: '“Agent update” on the overview says what holds it at its version.',
  },
  UNSUPPORTED_PLATFORM: { title: 'Its system has nothing like that', advice: 'Other devices may have it.' },
}

/** What an error says to a person. */
export function messageOf(error: unknown): string {
  if (isApiError(error)) return error.data ? error.message : unreachable
  return error instanceof Error ? error.message : unreachable
}
const unreachable = 'The server cannot be reached. Check your connection and try again'

/** The one line in which a form says why it was refused. */
export function Refusal({ error }: { readonly error: unknown }) {
  return (
    <div role="alert" className="contents">
      {error != null && <p className="rounded-md bg-bad-soft px-3 py-2 text-bad-text text-sm">{messageOf(error)}</p>}
    </div>
  )
}

/** Grey bars while something is on its way; readers of the screen hear it. */
export function Loading({ lines = 6, label = 'Loading' }: { readonly lines?: number; readonly label?: string }) {
  return (
    <div role="status" aria-label={label} className="grid gap-3 p-4">
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <div
          key={line}
          className="h-4 animate-pulse rounded bg-line"
          style={{ width: `${90 - ((line * 17) % 45)}%` }}
        />
      ))}
    </div>
  )
}
