import { useFullList } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { SelectField, TextField } from '../../../../ui/form/fields.tsx'

interface Props {
  readonly label: string
  readonly optional: boolean
  /** Whose secrets, beside those of the partner; null for all organizations. */
  readonly orgId: string | null
  /** Of the chosen secret; empty for none. */
  readonly name: string
  choose(name: string): void
}

/** A secret by its name. People who may not list secrets enter the name. */
export function SecretChoice({ label, optional, orgId, name, choose }: Props) {
  const mayList = useCan()('settings:read')
  const secrets = useFullList((client) => client.secrets.secrets.list, orgId === null ? {} : { orgId }, {
    enabled: mayList,
  }).data
  const names = [...new Set([...(name === '' ? [] : [name]), ...(secrets ?? []).map((secret) => secret.name)])].sort()
  const field = { label, optional, value: name }
  if (!mayList)
    return (
      <TextField
        {...field}
        hint="The name of a secret"
        autoComplete="off"
        onChange={({ target }) => choose(target.value)}
      />
    )
  return (
    <SelectField
      {...field}
      hint="Each device gets the nearest secret of this name"
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">{secrets?.length === 0 ? 'No secrets yet' : 'Select a secret'}</option>
      {names.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </SelectField>
  )
}
