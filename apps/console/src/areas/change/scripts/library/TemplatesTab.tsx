import type { ScriptTemplate } from '@muster/areas/change/script-library/templates/templates.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { FileCode } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { Button } from '../../../../ui/button/Button.tsx'
import { Verbatim } from '../../../../ui/dialog/Details.tsx'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import { ListTable } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { OwnerField } from '../../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../../tenancy/tenancy/organizations/useOwner.ts'
import { faultOfValues, type ValueDrafts, valueDraftsOf, valuesOf } from '../runs/runDraft.ts'
import { ValueFields } from '../runs/ValueFields.tsx'
import { languageText, systemsText } from '../words.tsx'
import type { LibraryQuestion } from './libraryQuestion.ts'

/** Scripts with blanks. A filled one is a script of its own. */
export function TemplatesTab({ wanted, clear }: LibraryQuestion) {
  const mayWrite = useCan()('scripts:write') ? undefined : 'You don’t have permission to create scripts'
  const [chosen, setChosen] = useState<ScriptTemplate | null>(null)
  const list = useList((client) => client.scriptLibrary.templates.list, wanted)
  const columns: readonly Column<ScriptTemplate>[] = [
    {
      id: 'name',
      header: 'Name',
      width: 190,
      grow: 1,
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    {
      id: 'use',
      header: 'Use',
      width: 110,
      pinned: true,
      cell: (template) => (
        <Button small aria-label={`Fill in ${template.name}`} blocked={mayWrite} onClick={() => setChosen(template)}>
          Fill in
        </Button>
      ),
    },
    { id: 'category', header: 'Category', width: 120, cell: ({ category }) => category },
    { id: 'language', header: 'Language', width: 110, cell: ({ language }) => languageText(language) },
    { id: 'systems', header: 'Systems', width: 110, cell: ({ osTypes }) => systemsText(osTypes) },
    { id: 'description', header: 'Description', width: 220, grow: 3, cell: ({ description }) => description },
  ]
  return (
    <>
      <ListTable
        label="Templates"
        list={list}
        rowId={({ id }) => id}
        columns={columns}
        empty={<NoRows icon={FileCode} title="No templates" clear={clear} />}
      />
      {chosen && <TemplateForm template={chosen} close={() => setChosen(null)} />}
    </>
  )
}

const literals = (values: ReturnType<typeof valuesOf>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'object' ? [] : [[name, value]])),
  )

/** The blanks of a template. */
function TemplateForm({ template, close }: { readonly template: ScriptTemplate; close(): void }) {
  const navigate = useNavigate()
  const owner = useOwner(undefined)
  const { orgId } = owner
  const [name, setName] = useState(template.name)
  const [drafts, setDrafts] = useState<ValueDrafts>(() => valueDraftsOf(template.blanks))
  const save = useApiMutation(
    () =>
      api.scriptLibrary.templates.fill.mutate({
        ...{ templateId: template.id, name: name.trim(), values: literals(valuesOf(template.blanks, drafts)) },
        ...(orgId !== null && { orgId }),
      }),
    {
      refresh: ['scripts', 'scriptLibrary'],
      done({ id }) {
        toast('Script created')
        void navigate({ to: '/scripts/$scriptId', params: { scriptId: id } })
      },
    },
  )
  return (
    <SideForm
      open
      wide
      close={close}
      title={template.name}
      description={template.description}
      verb="Create script"
      busy={save.isPending}
      blocked={
        (name.trim() === '' && 'Enter a name') || (owner.fault ?? faultOfValues(template.blanks, drafts) ?? false)
      }
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" value={name} onChange={({ target }) => setName(target.value)} />
        <OwnerField {...owner} />
      </div>
      <ValueFields parameters={template.blanks} drafts={drafts} change={setDrafts} />
      <Verbatim label="Content" text={template.content} />
    </SideForm>
  )
}
