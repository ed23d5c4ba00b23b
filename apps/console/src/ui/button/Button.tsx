import { Button as BaseButton } from '@base-ui/react/button'
import { Loader2 } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Tip } from './Tip.tsx'

const kinds = {
  primary: 'bg-accent text-white hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-line hover:bg-hover',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-bad-strong text-white border-transparent hover:opacity-90',
}
export type ButtonKind = keyof typeof kinds

export const buttonClass = (kind: ButtonKind = 'plain', small = false) =>
  `inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors aria-disabled:opacity-55 disabled:opacity-55 aria-disabled:cursor-not-allowed ${
    small ? 'h-7 px-2 text-sm' : 'h-8 px-3 text-sm'
  } ${kinds[kind]}`

interface Props extends Omit<ComponentProps<'button'>, 'disabled'> {
  readonly kind?: ButtonKind
  readonly small?: boolean
  /** Why the button is disabled, shown as a tip; empty or absent when it is enabled. */
  readonly blocked?: string | false | undefined
  /** Shows that its work is going on. */
  readonly busy?: boolean
  readonly children?: ReactNode
}

/** A button. A disabled one says why and keeps the keyboard focus. */
export function Button({
  kind = 'plain',
  small = false,
  blocked,
  busy = false,
  className = '',
  children,
  ...rest
}: Props) {
  const stopped = Boolean(blocked) || busy
  const button = (
    <BaseButton
      type="button"
      {...rest}
      disabled={stopped}
      focusableWhenDisabled
      className={`${buttonClass(kind, small)} ${className}`}
    >
      {busy && <Loader2 aria-hidden className="size-3.5 animate-spin" />}
      {children}
    </BaseButton>
  )
  if (blocked === undefined) return button
  // Also around a button that is enabled now: another tree would be another element, without the focus.
  return (
    <Tip text={blocked || ''} disabled={!blocked}>
      {button}
    </Tip>
  )
}

/** A button with an icon only; its label is read out and shown as a tip. */
export function IconButton({ label, children, className = '', ...rest }: Props & { readonly label: string }) {
  return (
    <Tip text={label}>
      <Button kind="quiet" aria-label={label} {...rest} className={`!px-0 ${rest.small ? 'w-7' : 'w-8'} ${className}`}>
        {children}
      </Button>
    </Tip>
  )
}
