import 'reflect-metadata';
import { Catch, UseFilters, type RpcExceptionFilter } from '@nestjs/common';
import { MessagePattern, type NatsContext } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';
import type { Contract, ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { throwError, type Observable } from 'rxjs';

/** Hands what was thrown to the server as it is: it alone turns errors into answers. */
@Catch()
class PassThrough implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
const passThrough = new PassThrough();

/**
 * Serves a contract with a controller's method: `(request, ctx?) => reply`. The request has been parsed by the contract;
 * a `WireError` that is thrown is the caller's answer.
 */
export function Handle<C extends Contract>(contract: C) {
  return <M extends (request: ParsedRequestOf<C>, ctx: NatsContext) => ReplyOf<C> | Promise<ReplyOf<C>>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    MessagePattern(contract.subject, { contract })(target, key, descriptor);
    UseFilters(passThrough)(target, key, descriptor);
    // Nest passes only the payload unless told otherwise; an empty list makes it pass (request, ctx) and skip its pipes.
    if (!Reflect.hasMetadata(PARAM_ARGS_METADATA, target.constructor, key)) {
      Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, key);
    }
  };
}
