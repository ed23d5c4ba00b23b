import { Check, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../button/Button.tsx'

const tones = {
  good: 'bg-good-soft text-good-text',
  warn: 'bg-warn-soft text-warn-text',
  bad: 'bg-bad-soft text-bad-text',
  info: 'bg-accent-soft text-accent-text',
  plain: 'bg-sunken text-muted',
}
export type Tone = keyof typeof tones

/** A word that says how something is. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded px-1.5 py-0.5 font-medium text-xs ${tones[tone]}`}
    >
      {children}
    </span>
  )
}

/** A box with a heading. */
export function Card({
  title,
  actions,
  children,
  flush = false,
}: {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly flush?: boolean
}) {
  return (
    <section className="min-w-0 rounded-xl border border-line bg-surface">
      {title && (
        <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-2 border-line border-b px-4 py-1.5">
          <h2 className="font-semibold">{title}</h2>
          {actions}
        </header>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}

interface FactsProps {
  readonly facts: readonly (readonly [string, ReactNode])[]
  /** Leaves out what is not known. */
  readonly onlyKnown?: boolean
}
/** Names and what they are, one below the other. */
export function Facts({ facts, onlyKnown = false }: FactsProps) {
  const shown = onlyKnown ? facts.filter(([, value]) => value !== null && value !== undefined && value !== '') : facts
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-4 gap-y-2 text-sm">
      {shown.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value ?? <span className="text-muted">unknown</span>}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Text to be taken elsewhere, with a button that copies it. */
export function CopyText({
  text,
  label,
  wrap = false,
}: {
  readonly text: string
  readonly label: string
  readonly wrap?: boolean
}) {
  const [copied, setCopied] = useState(false)
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      <code
        tabIndex={0}
        className={`min-w-0 flex-1 py-1 font-mono text-sm ${wrap ? 'whitespace-pre-wrap break-all' : 'overflow-x-auto whitespace-nowrap'}`}
      >
        {text}
      </code>
      <IconButton
        small
        label={copied ? 'Copied' : `Copy ${label}`}
        onClick={async () => {
          await navigator.clipboard.writeText(text)
          setCopied(true)
        }}
      >
        {copied ? <Check aria-hidden className="size-3.5 text-good-text" /> : <Copy aria-hidden className="size-3.5" />}
      </IconButton>
    </div>
  )
}

/** A share of a whole as a bar, colored when it becomes too much. */
export function Meter({ percent, label }: { readonly percent: number | null; readonly label: string }) {
  if (percent === null) return <span className="text-muted">–</span>
  const tone = percent >= 90 ? 'bg-bad' : percent >= 75 ? 'bg-warn' : 'bg-accent'
  return (
    <span
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="flex items-center gap-1.5"
    >
      <span className="h-1.5 w-8 overflow-hidden rounded-full bg-line">
        <span className={`block h-full rounded-full ${tone}`} style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
      <span className="tabular w-8 text-right text-xs">{Math.round(percent)}%</span>
    </span>
  )
}
