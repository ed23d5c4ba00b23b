import { lazy, Suspense } from 'react'
import { useFullList } from '../../../../queries.ts'
import { usePlace } from '../../../../shell/place.ts'
import { Options, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { Loading } from '../../../../ui/page/states.tsx'
import { languages } from '../../../control/commands/languages.ts'
import type { Order } from './bulk.ts'

const CodeEditor = lazy(() =>
  import('../../../../ui/form/CodeEditor.tsx').then((module) => ({ default: module.CodeEditor })),
)

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
interface Props {
  readonly order: Order
  change(order: Order): void
}

/** The input of a bulk action. */
export function OrderFields({ order, change }: Props) {
  if (order.kind === 'tags')
    return (
      <>
        <TextField
          label="Add tags"
          optional
          hint="Separate with commas"
          onChange={({ target }) => change({ ...order, add: tagsOf(target.value) })}
        />
        <TextField
          label="Remove tags"
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
      <Select
        label="Language"
        className="w-36"
        value={order.language}
        options={languages}
        choose={(language = 'bash') => change({ ...order, language })}
      />
      <Suspense fallback={<Loading lines={4} />}>
        <CodeEditor
          label="Script"
          language={order.language}
          value={order.script}
          change={(script) => change({ ...order, script })}
        />
      </Suspense>
      <p className="text-muted text-xs">Devices that do not have the language are skipped.</p>
    </>
  )
}

function GroupField({ groupId, choose }: { readonly groupId: string; choose(id: string): void }) {
  const { org } = usePlace()
  const groups = useFullList((api) => api.groups.groups.list, { type: 'static', ...(org && { orgId: org }) }).data ?? []
  return (
    <SelectField
      label="Group"
      hint="Static groups. Devices of other organizations are skipped."
      value={groupId}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">{groups.length === 0 ? 'No static groups' : 'Select a group'}</option>
      <Options of={groups} />
    </SelectField>
  )
}
