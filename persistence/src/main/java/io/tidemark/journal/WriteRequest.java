package io.tidemark.journal;

import akka.actor.ActorRef;
import akka.persistence.AtomicWrite;
import akka.persistence.JournalProtocol.LoopMessageSuccess;
import akka.persistence.JournalProtocol.WriteMessageFailure;
import akka.persistence.JournalProtocol.WriteMessageRejected;
import akka.persistence.JournalProtocol.WriteMessageSuccess;
import akka.persistence.JournalProtocol.WriteMessages;
import akka.persistence.JournalProtocol.WriteMessagesFailed;
import akka.persistence.JournalProtocol.WriteMessagesSuccessful$;
import akka.persistence.NonPersistentRepr;
import akka.persistence.PersistentEnvelope;
import akka.persistence.PersistentRepr;
import java.util.List;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What a persistent actor asked its journal to write, and the answers to it.
 *
 * <p>Akka's own base class sends each answer through two tasks of the dispatcher and an actor that
 * restores the order. A persistent actor has one request under way at a time, so the answers to one
 * are in order when whoever finishes the write sends them all.
 */
final class WriteRequest {
  private final WriteMessages request;
  private final ActorRef journal;

  /** Held while the answers to one request are sent. */
  private final Object answering;

  private final List<PersistentEnvelope> messages;

  /**
   * @param answering shared by all requests to a journal
   */
  WriteRequest(WriteMessages request, ActorRef journal, Object answering) {
    this.request = request;
    this.journal = journal;
    this.answering = answering;
    this.messages = CollectionConverters.asJava(request.messages());
  }

  /** What is to be stored, and not only sent back in its turn. */
  List<AtomicWrite> writes() {
    if (messages.size() == 1 && messages.get(0) instanceof AtomicWrite only) {
      return List.of(only);
    }
    return messages.stream()
        .filter(AtomicWrite.class::isInstance)
        .map(AtomicWrite.class::cast)
        .toList();
  }

  /**
   * @param rejections for each write null, or why it cannot be stored; empty when all are stored
   */
  void succeeded(List<Exception> rejections) {
    synchronized (answering) {
      tell(WriteMessagesSuccessful$.MODULE$, journal);
      int write = 0;
      for (PersistentEnvelope message : messages) {
        if (message instanceof AtomicWrite atomic) {
          Exception rejection = rejections.isEmpty() ? null : rejections.get(write);
          write++;
          for (Iterator<PersistentRepr> all = atomic.payload().iterator(); all.hasNext(); ) {
            PersistentRepr event = all.next();
            tell(
                rejection == null
                    ? new WriteMessageSuccess(event, request.actorInstanceId())
                    : new WriteMessageRejected(event, rejection, request.actorInstanceId()),
                event.sender());
          }
        } else {
          sendBack(message);
        }
      }
    }
  }

  void failed(Throwable cause) {
    synchronized (answering) {
      tell(new WriteMessagesFailed(cause, writes().size()), journal);
      for (PersistentEnvelope message : messages) {
        if (message instanceof AtomicWrite atomic) {
          for (Iterator<PersistentRepr> all = atomic.payload().iterator(); all.hasNext(); ) {
            PersistentRepr event = all.next();
            tell(new WriteMessageFailure(event, cause, request.actorInstanceId()), event.sender());
          }
        } else {
          sendBack(message);
        }
      }
    }
  }

  private void sendBack(PersistentEnvelope message) {
    NonPersistentRepr deferred = (NonPersistentRepr) message;
    tell(new LoopMessageSuccess(deferred.payload(), request.actorInstanceId()), deferred.sender());
  }

  private void tell(Object answer, ActorRef sender) {
    request.persistentActor().tell(answer, sender);
  }
}
