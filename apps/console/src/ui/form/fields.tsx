import { Check, Minus } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { BareSelect } from './Select.tsx'

export const inputClass =
  'h-8 w-full rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-muted aria-invalid:border-bad disabled:opacity-60'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly optional?: boolean
}
interface Wired {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

/** Label, hint and what is wrong, wired to the one control inside. */
export function Field({
  label,
  hint,
  error,
  optional = false,
  children,
}: FieldProps & { readonly children: (wired: Wired) => ReactNode }) {
  const id = useId()
  const hasMore = hint !== undefined || error !== undefined
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="flex items-baseline justify-between font-medium text-sm">
        {label}
        {optional && <span className="font-normal text-muted text-xs">optional</span>}
      </label>
      {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': hasMore ? `${id}-more` : undefined })}
      {hasMore && (
        <p id={`${id}-more`} className={`text-xs ${error === undefined ? 'text-muted' : 'text-bad-text'}`}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

type TextProps = FieldProps & ComponentProps<'input'>
/** A line of text with its label. */
export function TextField({ label, hint, error, optional, className = '', ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(wired) => <input type="text" {...rest} {...wired} className={`${inputClass} ${className}`} />}
    </Field>
  )
}

/** Several lines of text with their label. */
export function AreaField({
  label,
  hint,
  error,
  optional,
  className = '',
  ...rest
}: FieldProps & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(wired) => <textarea rows={3} {...rest} {...wired} className={`${inputClass} !h-auto py-1.5 ${className}`} />}
    </Field>
  )
}

/** A choice among a few, with its label. */
export function SelectField({
  label,
  hint,
  error,
  optional,
  children,
  ...rest
}: FieldProps & ComponentProps<'select'>) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(wired) => (
        <BareSelect {...rest} {...wired}>
          {children}
        </BareSelect>
      )}
    </Field>
  )
}

/** Options by name; none yet while they load. */
export const Options = ({ of = [] }: { readonly of?: readonly { id: string; name: string }[] | undefined }) =>
  of.map(({ id, name }) => (
    <option key={id} value={id}>
      {name}
    </option>
  ))

interface CheckProps {
  readonly label: ReactNode
  readonly checked: boolean
  readonly mixed?: boolean
  readonly hideLabel?: boolean
  readonly hint?: string
  readonly disabled?: boolean
  onChange(checked: boolean): void
}

/** A box to tick, with its label beside it (or only read out). */
export function CheckField({
  label,
  checked,
  mixed = false,
  hideLabel = false,
  hint,
  disabled = false,
  onChange,
}: CheckProps) {
  const id = useId()
  const Sign = mixed ? Minus : Check
  const box = (
    <span className="relative flex size-4 shrink-0">
      <input
        type="checkbox"
        id={id}
        ref={(input) => {
          if (input) input.indeterminate = mixed
        }}
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
        {...(hideLabel && typeof label === 'string' ? { 'aria-label': label } : { 'aria-labelledby': `${id}-label` })}
        className="size-4 appearance-none rounded border border-line-strong bg-surface checked:border-transparent checked:bg-accent indeterminate:border-transparent indeterminate:bg-accent disabled:opacity-60"
      />
      {(checked || mixed) && (
        <Sign aria-hidden strokeWidth={3.5} className="pointer-events-none absolute inset-0 m-auto size-3 text-white" />
      )}
    </span>
  )
  if (hideLabel) return box
  return (
    <span className="flex items-start gap-2 text-sm">
      <span className="mt-0.5 flex">{box}</span>
      <label id={`${id}-label`} htmlFor={id} className="grid">
        {label}
        {hint && <span className="text-muted text-xs">{hint}</span>}
      </label>
    </span>
  )
}
