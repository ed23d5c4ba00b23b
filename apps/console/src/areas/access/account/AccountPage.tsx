import { profile } from '@muster/areas/access/users/profile.contract.ts'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { chooseDensity, densities, useDensity } from '../../../ui/density.ts'
import { Card } from '../../../ui/display.tsx'
import { Form } from '../../../ui/Form.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useSchemaForm } from '../../../ui/form.ts'
import { Page } from '../../../ui/Page.tsx'
import { Refusal } from '../../../ui/states.tsx'
import { chooseTheme, themes, useTheme } from '../../../ui/theme.ts'
import { toast } from '../../../ui/toasts.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { Sessions } from './Sessions.tsx'

/** The account of the signed-in user: name, theme, password, MFA, passkeys, sessions. */
export function AccountPage() {
  return (
    <Page title="Your account">
      <div className="grid max-w-5xl items-start gap-4 lg:grid-cols-2">
        <div className="grid gap-4">
          <Profile />
          <Password />
        </div>
        <div className="grid gap-4">
          <SecondFactor />
          <Passkeys />
        </div>
        <div className="lg:col-span-2">
          <Sessions />
        </div>
      </div>
    </Page>
  )
}

const densityWords = { compact: 'Compact', comfortable: 'Comfortable' }
const themeWords = { system: 'System', light: 'Light', dark: 'Dark' }

function Profile() {
  const me = useMe()
  const queries = useQueryClient()
  const theme = useTheme()
  const density = useDensity()
  const form = useSchemaForm(profile.update.input, { name: me.name })
  const save = useApiMutation((given: { name?: string }) => api.users.profile.update.mutate(given), {
    async done() {
      await queries.invalidateQueries({ queryKey: ['me'] })
      toast('Name updated')
    },
  })
  return (
    <Card title="Profile">
      <Form submit={form.handleSubmit(({ name }) => save.mutate({ name }))}>
        <TextField
          label="Name"
          autoComplete="name"
          error={form.formState.errors.name?.message}
          {...form.register('name')}
        />
        <TextField
          label="Email"
          value={me.email}
          readOnly
          hint="To use another address, ask an administrator for an invitation."
        />
        <Refusal error={save.error} />
        <span>
          <Button kind="primary" type="submit" busy={save.isPending}>
            Save profile
          </Button>
        </span>
        <SelectField
          label="Theme"
          value={theme}
          onChange={({ target }) => chooseTheme(themes.find((each) => each === target.value) ?? 'system')}
        >
          {themes.map((each) => (
            <option key={each} value={each}>
              {themeWords[each]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Rows of tables"
          value={density}
          onChange={({ target }) => chooseDensity(densities.find((each) => each === target.value) ?? 'compact')}
        >
          {densities.map((each) => (
            <option key={each} value={each}>
              {densityWords[each]}
            </option>
          ))}
        </SelectField>
      </Form>
    </Card>
  )
}
