import { registration } from '@muster/areas/access/auth/sign-in/registration.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { Refusal } from '../../../ui/page/states.tsx'
import { linkClass, Step } from './Gate.tsx'

export function RegisterPartnerPage() {
  const form = useSchemaForm(registration.registerPartner.input, { companyName: '', name: '', email: '', password: '' })
  const { errors } = form.formState
  const register = useMutation({
    mutationFn: (given: Parameters<typeof api.auth.registration.registerPartner.mutate>[0]) =>
      api.auth.registration.registerPartner.mutate(given),
  })
  const back = (
    <Link to="/login" className={linkClass}>
      I already have an account
    </Link>
  )
  if (register.isSuccess)
    return (
      <Step title="Check your email" lead={register.data.message}>
        {back}
      </Step>
    )
  return (
    <Step
      title="Register your company"
      lead="You become the first administrator. We review new accounts first."
      after={back}
    >
      <Form submit={form.handleSubmit((given) => register.mutate(given))}>
        <TextField
          label="Company"
          autoComplete="organization"
          error={errors.companyName && 'Enter the name of your company'}
          {...form.register('companyName')}
        />
        <TextField
          label="Your name"
          autoComplete="name"
          error={errors.name && 'Enter your name'}
          {...form.register('name')}
        />
        <TextField
          label="Email"
          type="email"
          autoComplete="email"
          error={errors.email && 'Enter an email address'}
          {...form.register('email')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          hint="A long password of several words is best."
          error={errors.password && 'Enter a password'}
          {...form.register('password')}
        />
        <Refusal error={register.error} />
        <Button kind="primary" type="submit" busy={register.isPending}>
          Register company
        </Button>
      </Form>
    </Step>
  )
}
