// Slips of actions: a request, a tool with arguments, one that is long, one that hides something.
import { Slip } from '../../parts/Slip.tsx'
import { Sample } from './Sample.tsx'

const hash = '9f3ac07be41d5582a6017cd2e9b84f119f3ac07be41d5582a6017cd2e9b84f11'
const refund = {
  method: 'POST',
  url: 'https://payments.example.com/refunds',
  connection: 'Payments',
  body: '{"order":"88214","amount":412.50,"currency":"EUR","reason":"damaged on arrival"}',
}

export function SlipSamples() {
  return (
    <>
      <Sample name="A request">
        <Slip action={{ tool: 'http_request', arguments: refund, hash }} />
      </Sample>
      <Sample name="Sent, with headers, without an answer">
        <Slip
          action={{
            tool: 'http_request',
            arguments: { ...refund, headers: { 'Idempotency-Key': '4177:9' }, body: 'order=88190' },
          }}
          foot="Sent 00:44:51, no answer stored"
        />
      </Sample>
      <Sample name="A tool">
        <Slip action={{ tool: 'mail_send', arguments: { to: ['a@example.com'], text: 'x '.repeat(1500) }, hash }} />
      </Sample>
      <Sample name="Turned around and repeated">
        <Slip
          action={{
            tool: 'http_request',
            arguments: {
              ...refund,
              url: 'https://pay.example/\u202e001=tnuoma',
              body: '{"amount": 1, "amount": 9999}',
            },
            hash,
          }}
        />
      </Sample>
    </>
  )
}
