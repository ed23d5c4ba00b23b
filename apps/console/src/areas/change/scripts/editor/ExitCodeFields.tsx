import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../../ui/button/Button.tsx'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import { severities } from '../words.tsx'
import { type ExitCodeDraft, newExitCode } from './scriptDraft.ts'

interface Props {
  readonly drafts: readonly ExitCodeDraft[]
  change(drafts: ExitCodeDraft[]): void
}

/** The severity of each exit code. */
export function ExitCodeFields({ drafts, change }: Props) {
  const replace = (draft: ExitCodeDraft) => change(drafts.map((each) => (each.key === draft.key ? draft : each)))
  return (
    <>
      <p className="text-muted text-sm">
        Without an entry 0 is a success, and all others an error. <code>*</code> stands for all others except 0. A
        warning or worse opens an alert.
      </p>
      {drafts.map((draft, index) => (
        <fieldset key={draft.key} aria-label={`Exit code ${index + 1}`} className="flex min-w-0 items-end gap-2">
          <div className="grid min-w-0 flex-1 grid-cols-2 gap-3">
            <TextField
              label="Exit code"
              autoComplete="off"
              value={draft.code}
              onChange={({ target }) => replace({ ...draft, code: target.value })}
            />
            <ChoiceField
              label="Severity"
              value={draft.severity}
              options={severities}
              choose={(severity) => replace({ ...draft, severity })}
            />
          </div>
          <IconButton
            label={`Remove exit code ${draft.code}`}
            onClick={() => change(drafts.filter(({ key }) => key !== draft.key))}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </fieldset>
      ))}
      <div>
        <Button small onClick={() => change([...drafts, newExitCode()])}>
          <Plus aria-hidden className="size-3.5" />
          Add exit code
        </Button>
      </div>
    </>
  )
}
