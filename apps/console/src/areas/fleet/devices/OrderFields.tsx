import { useFullList } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { AreaField, Options, SelectField, TextField } from '../../../ui/fields.tsx'
import type { Order } from './bulk.ts'

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
const languages = { bash: 'Bash', sh: 'POSIX shell', python: 'Python' } as const
const languageOf = (given: string) => (given === 'python' || given === 'sh' ? given : 'bash')

interface Props {
  readonly order: Order
  change(order: Order): void
}

/** What has to be said of something that is done to many. */
export function OrderFields({ order, change }: Props) {
  if (order.kind === 'tags')
    return (
      <>
        <TextField
          label="Add"
          optional
          hint="Several with commas between them."
          onChange={({ target }) => change({ ...order, add: tagsOf(target.value) })}
        />
        <TextField
          label="Take away"
          optional
          onChange={({ target }) => change({ ...order, remove: tagsOf(target.value) })}
        />
      </>
    )
  if (order.kind === 'group')
    return <GroupField groupId={order.groupId} choose={(groupId) => change({ ...order, groupId })} />
  if (order.kind !== 'script') return null
  return (
    <>
      <SelectField
        label="Language"
        value={order.language}
        onChange={({ target }) => change({ ...order, language: languageOf(target.value) })}
      >
        {Object.entries(languages).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="Script"
        rows={8}
        spellCheck={false}
        className="font-mono"
        value={order.script}
        onChange={({ target }) => change({ ...order, script: target.value })}
      />
    </>
  )
}

function GroupField({ groupId, choose }: { readonly groupId: string; choose(id: string): void }) {
  const { org } = usePlace()
  const groups = useFullList((api) => api.groups.groups.list, { type: 'static', ...(org && { orgId: org }) }).data ?? []
  return (
    <SelectField
      label="Group"
      hint="Groups whose members are chosen by hand. Devices of other organisations are left out."
      value={groupId}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">{groups.length === 0 ? 'There is no such group yet' : 'Choose'}</option>
      <Options of={groups} />
    </SelectField>
  )
}
