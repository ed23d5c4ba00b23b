import { profile } from '@muster/areas/access/users/profile.contract.ts'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { chooseDensity, useDensity } from '../../../ui/page/density.ts'
import { Card } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { chooseTheme, useTheme } from '../../../ui/page/theme.ts'
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

const densityOptions = [
  ['compact', 'Compact'],
  ['comfortable', 'Comfortable'],
] as const
const themeOptions = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

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
        <ChoiceField label="Theme" value={theme} options={themeOptions} choose={chooseTheme} />
        <ChoiceField label="Rows of tables" value={density} options={densityOptions} choose={chooseDensity} />
      </Form>
    </Card>
  )
}
