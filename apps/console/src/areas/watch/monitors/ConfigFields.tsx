import { AreaField, CheckField, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { type MonitorDraft, methods, recordTypes } from './monitorDraft.ts'

interface Props {
  readonly draft: MonitorDraft
  /** What is stored and never shown. */
  readonly stored: { readonly headerNames: readonly string[]; readonly hasBody: boolean }
  set(part: Partial<MonitorDraft>): void
}

/** What the type of monitor checks. */
export function ConfigFields({ draft, stored, set }: Props) {
  const { type, count, port, expect } = draft
  if (type === 'ping')
    return (
      <TextField
        label="Echo requests per round"
        type="number"
        min={1}
        max={10}
        value={count}
        onChange={({ target }) => set({ count: target.value })}
      />
    )
  if (type === 'tcp')
    return (
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Port"
          type="number"
          min={1}
          max={65_535}
          value={port}
          onChange={({ target }) => set({ port: target.value })}
        />
        <TextField
          label="Expected text"
          optional
          hint="The first bytes of the answer must contain it."
          value={expect}
          onChange={({ target }) => set({ expect: target.value })}
        />
      </div>
    )
  return type === 'dns' ? <DnsFields draft={draft} set={set} /> : <HttpFields draft={draft} stored={stored} set={set} />
}

function DnsFields({ draft: { recordType, server, answers }, set }: Omit<Props, 'stored'>) {
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label="Record type"
          value={recordType}
          onChange={({ target }) => set({ recordType: target.value })}
        >
          {recordTypes.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField
          label="Name server"
          optional
          hint="An address. Empty for those of the probe."
          value={server}
          onChange={({ target }) => set({ server: target.value })}
        />
      </div>
      <AreaField
        label="Expected answers"
        optional
        hint="One per line. Each must be among the answers."
        value={answers}
        onChange={({ target }) => set({ answers: target.value })}
      />
    </>
  )
}

function HttpFields({ draft, stored, set }: Props) {
  const { method, expectStatus, expectBody, verifyTls, certificateDays } = draft
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField label="Method" value={method} onChange={({ target }) => set({ method: target.value })}>
          {methods.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField
          label="Expected statuses"
          optional
          hint="Such as 200, 204. Empty for 200 to 299."
          value={expectStatus}
          onChange={({ target }) => set({ expectStatus: target.value })}
        />
        <TextField
          label="Expected text"
          optional
          hint="The body must contain it."
          value={expectBody}
          onChange={({ target }) => set({ expectBody: target.value })}
        />
        <TextField
          label="Degraded if the certificate expires within (days)"
          optional
          type="number"
          min={1}
          max={365}
          value={certificateDays}
          onChange={({ target }) => set({ certificateDays: target.value })}
        />
      </div>
      <CheckField label="Verify the certificate" checked={verifyTls} onChange={(on) => set({ verifyTls: on })} />
      <SecretFields draft={draft} stored={stored} set={set} />
    </>
  )
}

/** Headers and body are sealed: they can be replaced or removed, never read. */
function SecretFields({ draft, stored: { headerNames, hasBody }, set }: Props) {
  const { headers, dropsHeaders, body, dropsBody } = draft
  return (
    <>
      <AreaField
        label="Headers"
        optional
        disabled={dropsHeaders}
        hint={
          headerNames.length === 0
            ? 'One “Name: value” per line. Values are never shown again.'
            : `Stored: ${headerNames.join(', ')}. Empty keeps them.`
        }
        value={headers}
        onChange={({ target }) => set({ headers: target.value })}
      />
      {headerNames.length > 0 && (
        <CheckField
          label="Remove the stored headers"
          checked={dropsHeaders}
          onChange={(on) => set({ dropsHeaders: on })}
        />
      )}
      <AreaField
        label="Body"
        optional
        disabled={dropsBody}
        hint={hasBody ? 'A body is stored. Empty keeps it.' : 'Never shown again.'}
        value={body}
        onChange={({ target }) => set({ body: target.value })}
      />
      {hasBody && (
        <CheckField label="Remove the stored body" checked={dropsBody} onChange={(on) => set({ dropsBody: on })} />
      )}
    </>
  )
}
