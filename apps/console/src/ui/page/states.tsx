import { Link, useMatch, useRouter } from '@tanstack/react-router'
import { CloudOff, Lock, type LucideIcon, TriangleAlert, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { codeOf, isApiError, requestIdOf, statusOf } from '../../api.ts'
import { Button } from '../button/Button.tsx'
import { toast } from '../dialog/toasts.tsx'

interface NoteProps {
  readonly icon: LucideIcon
  readonly title: string
  /** The level of the heading: 1 where it is the only one of the page. */
  readonly level?: 1 | 2
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** Stands in place of content: why there is none and what to do. */
export function Note({ icon: Icon, title, level = 2, children, action }: NoteProps) {
  const Heading = level === 1 ? 'h1' : 'h2'
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-14 text-center">
      <span className="flex size-11 items-center justify-center rounded-full bg-sunken">
        <Icon aria-hidden className="size-5 text-muted" />
      </span>
      <div className="grid gap-1">
        <Heading className="font-semibold text-lg">{title}</Heading>
        {children && <div className="text-muted">{children}</div>}
      </div>
      {action}
    </div>
  )
}

/** Why something is not there, in words for the user, with a way on. */
export function Failure({ error, again }: { readonly error: unknown; again?(): void }) {
  const status = statusOf(error)
  if (status === 403)
    return (
      <Note icon={Lock} title="You don’t have access">
        {messageOf(error)}. Ask an administrator of your organization for the permission, or switch to a place where you
        have it. <AboutError error={error} />
      </Note>
    )
  if (status === 404)
    return (
      <Note icon={TriangleAlert} title="Not found">
        It was deleted, or you don’t have access. <AboutError error={error} />
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
        {messageOf(error)}. {machine.advice} <AboutError error={error} />
      </Note>
    )
  if (status === undefined && isApiError(error))
    return (
      <Note icon={CloudOff} title="Server not reachable" action={retry}>
        Check your connection. What you typed is kept.
      </Note>
    )
  return (
    <Note icon={TriangleAlert} title="Something went wrong" action={retry}>
      {messageOf(error)}. <AboutError error={error} /> <RequestId error={error} />
    </Note>
  )
}

/** Codes whose message says all: which field is wrong. */
const plainCodes: readonly string[] = ['VALIDATION_ERROR', 'UNAUTHENTICATED']

/** The code of an error that the page of errors explains better than its message. */
function explainedCode(error: unknown): string | undefined {
  const code = codeOf(error)
  return code !== undefined && !plainCodes.includes(code) ? code : undefined
}

/** Shows why an action failed, with the way to its cause and remedy. */
export function toastError(error: unknown): void {
  const code = explainedCode(error)
  toast(messageOf(error), { bad: true, ...(code && { about: `/errors?code=${encodeURIComponent(code)}` }) })
}

/** Leads to the cause and the remedy of an error, in a new tab, so that the input is kept. */
function AboutError({ error }: { readonly error: unknown }) {
  // The dialog that asks for a proof is outside of the router.
  const router: unknown = useRouter({ warn: false })
  return router == null ? null : <RemedyLink error={error} />
}

function RemedyLink({ error }: { readonly error: unknown }) {
  const code = explainedCode(error)
  const isSignedIn = useMatch({ from: '/app', shouldThrow: false }) !== undefined
  if (code === undefined || !isSignedIn) return null
  return (
    <Link to="/errors" search={{ code }} target="_blank" className="whitespace-nowrap rounded underline">
      About this error
    </Link>
  )
}

/** The name under which the server's log has the failure. */
function RequestId({ error }: { readonly error: unknown }) {
  const id = requestIdOf(error)
  if (id === undefined) return null
  return (
    <span className="block text-xs">
      Request ID for support: <code>{id}</code>
    </span>
  )
}

/** Failures of the device that was asked; the server did its part. */
const machines: Readonly<Record<string, { readonly title: string; readonly advice: string }>> = {
  DEVICE_OFFLINE: {
    title: 'Device offline',
    advice: 'You can send scripts and commands now. They run when it reconnects.',
  },
  DEVICE_TIMEOUT: { title: 'The device did not answer in time', advice: 'It may be busy. Try again in a moment.' },
  DEVICE_BUSY: { title: 'The device is busy', advice: 'Too many requests run on it. Try again in a moment.' },
  DEVICE_REFUSED: { title: 'Not supported on this device', advice: '' },
  AGENT_TOO_OLD: {
    title: 'The agent is too old for this',
    advice: '“Agent update” on the Overview tab shows what holds it at its version.',
  },
  MISSING_TOOL: {
    title: 'A program is missing on the device',
    advice: 'Install it, then refresh the inventory.',
  },
  UNSUPPORTED_PLATFORM: { title: 'Not available on this OS', advice: 'Other devices may have it.' },
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  if (isApiError(error)) return error.data ? error.message : unreachable
  return error instanceof Error ? error.message : unreachable
}
const unreachable = 'The server cannot be reached. Check your connection and try again'

/** Why the server refused a form. */
export function Refusal({ error }: { readonly error: unknown }) {
  return (
    <div role="alert" className="contents">
      {error != null && (
        <p className="rounded-md bg-bad-soft px-3 py-2 text-bad-text text-sm">
          {messageOf(error)} <AboutError error={error} /> <RequestId error={error} />
        </p>
      )}
    </div>
  )
}

/** Gray bars while something loads; readers of the screen hear it. */
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

interface PendingProps {
  readonly answer: { readonly error: unknown; refetch(): unknown }
  readonly lines?: number
}

/** In place of an answer that is on its way, or why there is none. */
export const Pending = ({ answer, lines }: PendingProps) =>
  answer.error ? <Failure error={answer.error} again={() => answer.refetch()} /> : <Loading {...(lines && { lines })} />
