import { useState } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { TextField } from '../../../ui/form/fields.tsx'
import { slugOf } from './formValues.ts'

interface Props {
  readonly name: UseFormRegisterReturn
  readonly slug: UseFormRegisterReturn
  readonly errors: { readonly name?: unknown; readonly slug?: unknown }
  /** Keeps the short name when the name changes. */
  readonly isKept?: boolean
  setSlug(slug: string): void
}

/** A name, and a short name that follows it until the user edits it. */
export function NameFields({ name, slug, errors, isKept = false, setSlug }: Props) {
  const [isOwn, setOwn] = useState(isKept)
  return (
    <>
      <TextField
        label="Name"
        error={errors.name ? 'Enter a name' : undefined}
        {...name}
        onChange={(event) => {
          if (!isOwn) setSlug(slugOf(event.target.value))
          return name.onChange(event)
        }}
      />
      <TextField
        label="Short name"
        hint="For URLs and exports. Letters, digits and hyphens."
        error={errors.slug ? 'Use letters, digits and hyphens' : undefined}
        {...slug}
        onChange={(event) => {
          setOwn(true)
          return slug.onChange(event)
        }}
      />
    </>
  )
}
