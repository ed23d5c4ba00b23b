import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { Options, SelectField } from '../../../../ui/form/fields.tsx'

interface Props extends Omit<ComponentProps<typeof SelectField>, 'label' | 'children' | 'error'> {
  /** Undefined until the answer is here. */
  readonly organizations: readonly { readonly id: string; readonly name: string }[] | undefined
  readonly error?: string | undefined
}

/** The organization that something belongs to. Without any organization it offers to create the first one. */
export function OrganizationField({ organizations, error, ...rest }: Props) {
  if (organizations?.length === 0)
    return (
      <p className="rounded-md bg-sunken px-3 py-2 text-sm">
        You need an organization first.{' '}
        <Link to="/organizations" search={{ form: 'new' }} className="rounded font-medium text-accent-text underline">
          Create an organization
        </Link>
      </p>
    )
  return (
    <SelectField label="Organization" error={error} {...rest}>
      <option value="">Select an organization</option>
      <Options of={organizations} />
    </SelectField>
  )
}
