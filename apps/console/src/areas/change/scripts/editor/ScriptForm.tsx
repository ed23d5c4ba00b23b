import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { lazy, Suspense, useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useFullList } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { CheckList } from '../../../../ui/form/CheckList.tsx'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { AreaField, CheckField, Options, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { Loading } from '../../../../ui/page/states.tsx'
import { languages } from '../../../control/commands/languages.ts'
import { OwnerField } from '../../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../../tenancy/tenancy/organizations/useOwner.ts'
import { FormSection } from '../../../watch/FormSection.tsx'
import { systems } from '../words.tsx'
import { ExitCodeFields } from './ExitCodeFields.tsx'
import { ParameterFields } from './ParameterFields.tsx'
import { emptyScript, faultOfScript, type ScriptDraft, scriptDraftOf, scriptOf } from './scriptDraft.ts'

const CodeEditor = lazy(() =>
  import('../../../../ui/form/CodeEditor.tsx').then((module) => ({ default: module.CodeEditor })),
)

interface Props {
  /** The script to edit. A new one is created without it. */
  readonly script?: KeptScript
  done?(script: KeptScript): void
  close(): void
}

interface FieldsProps {
  readonly draft: ScriptDraft
  set(part: Partial<ScriptDraft>): void
}

/** The editor of a script. A change of what runs makes a version. */
export function ScriptForm({ script, done, close }: Props) {
  const owner = useOwner(script)
  const { orgId } = owner
  const [draft, setDraft] = useState(() => (script === undefined ? emptyScript : scriptDraftOf(script)))
  const set = (part: Partial<ScriptDraft>) => setDraft((now) => ({ ...now, ...part }))
  const save = useApiMutation(
    () =>
      script === undefined
        ? api.scripts.scripts.create.mutate({ ...scriptOf(draft), ...(orgId !== null && { orgId }) })
        : api.scripts.scripts.update.mutate({ ...scriptOf(draft), id: script.id, version: script.version }),
    {
      refresh: ['scripts', 'scriptLibrary'],
      done(saved) {
        toast(saved.warnings.length > 0 ? 'Script saved with warnings' : 'Script saved')
        close()
        done?.(saved)
      },
    },
  )
  const chooseOwner = (next: string | null) => {
    owner.choose(next)
    set({ categoryId: '', sharedWithOrganizations: false })
  }
  return (
    <SideForm
      open
      wide
      close={close}
      title={script ? `Edit ${script.name}` : 'New script'}
      verb={script ? 'Save script' : 'Create script'}
      busy={save.isPending}
      blocked={owner.fault ?? faultOfScript(draft) ?? false}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
        <ChoiceField
          label="Language"
          value={draft.language}
          options={languages}
          choose={(language) => set({ language })}
        />
        <OwnerField {...owner} choose={chooseOwner} />
      </div>
      <Suspense fallback={<Loading lines={6} />}>
        <CodeEditor
          label="Content"
          language={draft.language}
          value={draft.content}
          change={(content) => set({ content })}
        />
      </Suspense>
      <FormSection title="Parameters">
        <ParameterFields drafts={draft.parameters} change={(parameters) => set({ parameters })} />
      </FormSection>
      <FormSection title="Run">
        <RunFields draft={draft} set={set} />
      </FormSection>
      <FormSection title="Exit codes">
        <ExitCodeFields drafts={draft.exitCodes} change={(exitCodes) => set({ exitCodes })} />
      </FormSection>
      <FormSection title="Details">
        <DetailFields draft={draft} set={set} orgId={orgId} />
      </FormSection>
      {script && (
        <TextField
          label="What changed"
          optional
          hint="Stands with the new version"
          value={draft.comment}
          onChange={({ target }) => set({ comment: target.value })}
        />
      )}
    </SideForm>
  )
}

const accounts = [
  ['system', 'The system account'],
  ['user', 'A user'],
] as const

function RunFields({ draft, set }: FieldsProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Timeout in seconds"
          inputMode="numeric"
          value={draft.timeoutSeconds}
          onChange={({ target }) => set({ timeoutSeconds: target.value })}
        />
        <ChoiceField label="Run as" value={draft.runAs} options={accounts} choose={(runAs) => set({ runAs })} />
        {draft.runAs === 'user' && (
          <TextField
            label="User"
            optional
            hint="Who is signed in unless given"
            value={draft.runAsUser}
            onChange={({ target }) => set({ runAsUser: target.value })}
          />
        )}
      </div>
      <AreaField
        label="Arguments"
        optional
        hint="One on each line, the same for each run"
        value={draft.args}
        onChange={({ target }) => set({ args: target.value })}
      />
    </>
  )
}

function DetailFields({ draft, set, orgId }: FieldsProps & { readonly orgId: string | null }) {
  const categories = useFullList((client) => client.scriptLibrary.categories.list, { ...(orgId && { orgId }) })
  // Scripts of an organization can be in its categories and in those of the whole partner.
  const own = (categories.data ?? []).filter((category) => category.orgId === null || category.orgId === orgId)
  return (
    <>
      <AreaField
        label="Description"
        optional
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Category"
          optional
          value={draft.categoryId}
          onChange={({ target }) => set({ categoryId: target.value })}
        >
          <option value="">No category</option>
          <Options of={own} />
        </SelectField>
        <TextField
          label="Tags"
          optional
          hint="Separate with commas"
          value={draft.tags}
          onChange={({ target }) => set({ tags: target.value })}
        />
      </div>
      <CheckList
        label="Systems"
        hint="None stands for any"
        choices={systems.map(([id, label]) => ({ id, label }))}
        chosen={draft.osTypes}
        change={(chosen) => set({ osTypes: systems.map(([id]) => id).filter((id) => chosen.includes(id)) })}
      />
      {orgId === null && (
        <CheckField
          label="Organizations see it and run it"
          checked={draft.sharedWithOrganizations}
          onChange={(sharedWithOrganizations) => set({ sharedWithOrganizations })}
        />
      )}
    </>
  )
}
