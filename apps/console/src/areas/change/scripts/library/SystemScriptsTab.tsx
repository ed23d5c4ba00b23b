import type { SystemScript } from '@muster/areas/change/scripts/system-library/system-scripts.contract.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { BookCopy } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { usePlace } from '../../../../shell/place.ts'
import { Button } from '../../../../ui/button/Button.tsx'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { ListTable } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import { Badge } from '../../../../ui/page/display.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { OwnerField } from '../../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../../tenancy/tenancy/organizations/useOwner.ts'
import { languageText, systemsText } from '../words.tsx'
import type { LibraryQuestion } from './libraryQuestion.ts'

/** The system scripts, and which of them are imported. */
export function SystemScriptsTab({ wanted, clear }: LibraryQuestion) {
  const { org } = usePlace()
  const mayWrite = useCan()('scripts:write') ? undefined : 'You don’t have permission to import scripts'
  const [chosen, setChosen] = useState<SystemScript | null>(null)
  const list = useList((client) => client.scripts.systemScripts.list, { ...wanted, ...(org && { orgId: org }) })
  return (
    <>
      <ListTable
        label="System scripts"
        list={list}
        rowId={({ id }) => id}
        columns={columnsWith(mayWrite, setChosen)}
        empty={<NoRows icon={BookCopy} title="The library is empty" clear={clear} />}
      />
      {chosen && <ImportForm script={chosen} close={() => setChosen(null)} />}
    </>
  )
}

const columnsWith = (
  mayWrite: string | undefined,
  choose: (script: SystemScript) => void,
): readonly Column<SystemScript>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 190,
    grow: 1,
    cell: ({ id, name }) => (
      <Link
        to="/scripts/$scriptId"
        params={{ scriptId: id }}
        className="rounded font-medium hover:text-accent-text hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'import',
    header: 'Import',
    width: 110,
    pinned: true,
    cell: (script) => <ImportButton script={script} mayWrite={mayWrite} choose={choose} />,
  },
  { id: 'category', header: 'Category', width: 120, cell: ({ category }) => category },
  { id: 'language', header: 'Language', width: 110, cell: ({ language }) => languageText(language) },
  { id: 'systems', header: 'Systems', width: 110, cell: ({ osTypes }) => systemsText(osTypes) },
  {
    id: 'state',
    header: 'State',
    width: 140,
    cell: ({ imported }) =>
      imported && (
        <Link to="/scripts/$scriptId" params={{ scriptId: imported.scriptId }} className="rounded">
          {imported.updateAvailable ? <Badge tone="info">Update available</Badge> : <Badge tone="good">Imported</Badge>}
        </Link>
      ),
  },
  { id: 'description', header: 'Description', width: 220, grow: 3, cell: ({ description }) => description },
]

interface ButtonProps {
  readonly script: SystemScript
  readonly mayWrite: string | undefined
  choose(script: SystemScript): void
}

function ImportButton({ script, mayWrite, choose }: ButtonProps) {
  const { imported, name } = script
  const isCurrent = imported !== null && !imported.updateAvailable && 'It is imported in its newest version'
  const verb = imported === null ? 'Import' : 'Update'
  return (
    <Button small aria-label={`${verb} ${name}`} blocked={mayWrite ?? isCurrent} onClick={() => choose(script)}>
      {verb}
    </Button>
  )
}

/** For whom a script is imported, or that its copy gets a version. */
function ImportForm({ script, close }: { readonly script: SystemScript; close(): void }) {
  const navigate = useNavigate()
  const owner = useOwner(undefined)
  const { orgId } = owner
  const update = script.imported !== null
  const save = useApiMutation(
    () => api.scripts.systemScripts.import.mutate({ id: script.id, update, ...(orgId !== null && { orgId }) }),
    {
      refresh: ['scripts', 'scriptLibrary'],
      done({ id }) {
        toast(update ? 'Script updated' : 'Script imported')
        void navigate({ to: '/scripts/$scriptId', params: { scriptId: id } })
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={update ? `Update ${script.name}` : `Import ${script.name}`}
      description={
        update
          ? 'The newest content of the library becomes a new version of your copy. Its name, tags and exit codes stay.'
          : script.description
      }
      verb={update ? 'Update script' : 'Import script'}
      busy={save.isPending}
      blocked={owner.fault ?? false}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      {update ? null : <OwnerField {...owner} />}
    </SideForm>
  )
}
